import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Numbers below 1 that a seed decides: the same everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the person allowed, in this test: much, so that little is left to chance. */
export const ALLOWED: readonly string[] = [
  ...[
    'git status',
    'git log',
    'git diff',
    'git show',
    'git branch',
    'git ls-files',
    'ls',
    'cat',
    'echo',
    'printf',
    'pwd',
  ],
  ...[
    'grep',
    'rg',
    'find',
    'head',
    'tail',
    'wc',
    'sort',
    'uniq',
    'cut',
    'tr',
    'diff',
    'nl',
    'basename',
    'dirname',
    'stat',
  ],
  ...[
    'du',
    'date',
    'seq',
    'true',
    'false',
    'sha256sum',
    'sed',
    'which',
    'npm test',
    'npm run',
    'make check',
    'node build.js',
  ],
];

const STARTS: readonly string[] = [
  ...ALLOWED,
  ...[
    'git --no-pager log',
    'git -P status',
    'sed -n 1,2p',
    'date +%s',
    'seq 3',
    'npm run build',
    'npm test',
    'npm t',
    'which ls',
  ],
];
const WORDS: readonly string[] = [
  ...[
    'a',
    'b.txt',
    'src/a.ts',
    'src',
    'docs/x.md',
    '.',
    './src',
    '-n',
    '-l',
    '-la',
    '-5',
    '--oneline',
    '--stat',
    '-i',
    '-r',
    '-c',
    '-e',
  ],
  ...[
    'HEAD',
    'HEAD~1',
    'main..dev',
    'foo',
    'two words',
    "it's",
    'a"b',
    'a\\b',
    '',
    '#x',
    'x#y',
    '=',
    'a=b',
    'k=v',
    ':',
    'a:b',
    '!',
    'a!b',
  ],
  ...[
    '%s',
    '%s\\n',
    '^x$',
    'a.*b',
    '[ab]',
    '{a,b}',
    'src/*.ts',
    'docs/?.md',
    'src/*',
    '*',
    '~',
    '~/x',
    'a~',
    '$HOME',
    '${x}',
    '$(id)',
    '`id`',
  ],
  ...[
    '&',
    '|',
    ';',
    '>',
    '<',
    '(',
    ')',
    '\n',
    '\t',
    '--',
    '-',
    '@{u}',
    'x@y',
    ',',
    '+',
    '%',
    '1',
    '10',
    '-name',
    '-type',
    'f',
    '-print',
    '-maxdepth',
  ],
];
const JOINTS: readonly string[] = [
  ' && ',
  ' || ',
  ' ; ',
  ' | ',
  '; ',
  '\n',
  '|',
  '&&',
  '||',
  ';',
  ' |& ',
  ' & ',
  '&',
  '\n\n',
  ' \\\n',
];
const ENDS: readonly string[] = [
  ' 2>/dev/null',
  ' >/dev/null',
  ' 2>&1',
  ' &>/dev/null',
  ' </dev/null',
  ' >&2',
  ' > out',
  ' >> out',
  ' 1>&2',
  ' 2>1',
  ' <in',
];
const NOISE = ' \t\n\'"\\$`;&|<>(){}[]*?~#!=:%^@,.-+/0aZ_\r';

/** Random commands: rows of programs with words quoted in every way, and now and then something broken. */
export class RandomCommands {
  readonly #random: () => number;
  readonly #known: readonly string[];

  constructor(seed: number) {
    this.#random = randomOf(seed);
    this.#known = readFileSync(join(import.meta.dirname, '..', 'data', 'commands.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { cmd: string }).cmd)
      .filter((command) => command.length < 200);
  }

  next(): string {
    const kind = this.#random();
    if (kind < 0.12) return this.#damaged(this.#pick(this.#known));
    const command = this.#row();
    return kind < 0.3 ? this.#damaged(command) : command;
  }

  #row(): string {
    const count = 1 + Math.floor(this.#random() ** 2 * 4);
    let text = this.#simple();
    for (let at = 1; at < count; at++)
      text += (this.#random() < 0.75 ? this.#pick(JOINTS.slice(0, 7)) : this.#pick(JOINTS)) + this.#simple();
    return text;
  }

  #simple(): string {
    const words = Math.floor(this.#random() * 4);
    let text = this.#spelled(this.#pick(STARTS));
    for (let at = 0; at < words; at++)
      text += this.#pick([' ', ' ', ' ', '  ', '\t']) + this.#quoted(this.#pick(WORDS));
    if (this.#random() < 0.15) text += this.#pick(ENDS);
    return text;
  }

  /** Programs are spelled with quotes too: to a shell it is the same. */
  #spelled(start: string): string {
    if (this.#random() < 0.85) return start;
    return start
      .split(' ')
      .map((word) => this.#quoted(word))
      .join(' ');
  }

  /** One word in one of the ways in which a shell takes it; not all of them are right. */
  #quoted(word: string): string {
    const way = this.#random();
    if (way < 0.35) return word;
    if (way < 0.55) return `'${word.replaceAll("'", `'\\''`)}'`;
    if (way < 0.75) return `"${word.replace(/["\\$`]/g, '\\$&')}"`;
    if (way < 0.85) return word.replace(/[^\w./-]/g, '\\$&');
    if (way < 0.92) return `"${word}"`;
    if (way < 0.97) {
      const cut = Math.floor(this.#random() * (word.length + 1));
      return `${this.#quoted(word.slice(0, cut))}${this.#quoted(word.slice(cut))}`;
    }
    return `$'${word}'`;
  }

  #damaged(text: string): string {
    let damaged = text;
    const times = 1 + Math.floor(this.#random() * 2);
    for (let time = 0; time < times; time++) {
      const at = Math.floor(this.#random() * (damaged.length + 1));
      const end = this.#random() < 0.5 ? at : at + 1;
      const inserted = this.#random() < 0.8 ? this.#pick(Array.from(NOISE)) : '';
      damaged = damaged.slice(0, at) + inserted + damaged.slice(end);
    }
    return damaged;
  }

  #pick(from: readonly string[]): string {
    return from[Math.floor(this.#random() * from.length)] ?? '';
  }
}
