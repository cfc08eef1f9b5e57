import type { Grammars } from './grammars.ts';
import type { FoundCommand, Reading, Shell } from './Reading.ts';
import { readWithTreeSitter } from './readWithTreeSitter.ts';
import { readWithUnbash } from './readWithUnbash.ts';

type Words = readonly (string | undefined)[];

/** Programs that start what stands after them. */
const STARTERS: ReadonlySet<string> = new Set(
  (
    '! builtin busybox bwrap chroot chrt command coproc dbus-run-session doas do else env eval exec faketime fakeroot find firejail ' +
    'flock foreach gdb if ionice ltrace nice nocorrect noglob nohup npx nsenter parallel pkexec proot repeat runuser script setarch ' +
    'setpriv setsid start start-process stdbuf strace su sudo systemd-run taskset then time timeout toybox trap unbuffer unshare until watch while ' +
    'winpty xargs xvfb-run'
  ).split(' '),
);

/** Shells read a command from a word, or from what is piped into them. */
const SHELLS: ReadonlySet<string> = new Set(
  'ash bash cmd csh dash eval fish iex invoke-expression ksh mksh powershell pwsh rbash sh source su tcsh trap yash zsh .'.split(
    ' ',
  ),
);

/** The name that a word runs: without folder and ending, in lower case since some disks do not tell cases apart. */
export function programName(word: string): string {
  const name = word.replace(/^.*[/\\](?=[^/\\])/s, '');
  return name.toLowerCase().replace(/\.(exe|cmd|bat|com)$/, '');
}

/**
 * The first rule that denies something in the readings: anywhere, also inside substitutions, behind programs that start others,
 * and in the texts that shells are given. There is no limit to how many parts are looked at.
 */
export function deniedBy(
  readings: readonly Reading[],
  rules: readonly string[],
  grammars: Grammars,
  shell: Shell,
): { rule: string; command: FoundCommand } | undefined {
  const parsed = rules
    .map((rule) => ({ rule, tokens: tokensOf(rule) }))
    .filter(({ tokens }) => tokens.length > 0);
  if (parsed.length === 0) return undefined;
  const seen = new Set<string>();
  const waiting = [...readings];
  for (let reading = waiting.pop(); reading; reading = waiting.pop()) {
    const inner: string[] = [];
    let hasShell = false;
    for (const command of reading.found) {
      const hit = parsed.find(({ tokens }) =>
        startsIn(command.words).some((at) => matches(command.words, at, tokens)),
      );
      if (hit) return { rule: hit.rule, command };
      const programs = startsIn(command.words).map((at) => programName(command.words[at] ?? ''));
      if (programs.some((program) => SHELLS.has(program))) hasShell = true;
      if (programs.some((program) => STARTERS.has(program) || SHELLS.has(program)))
        inner.push(...textsIn(command.words));
    }
    // A shell that is there may be given any of the texts.
    if (hasShell) inner.push(...reading.texts, ...reading.found.flatMap(({ words }) => textsIn(words)));
    for (const text of inner) {
      if (seen.has(text)) continue;
      seen.add(text);
      waiting.push(
        readWithTreeSitter(text, grammars.bash, shell),
        readWithUnbash(text, grammars.unbash, shell),
      );
    }
  }
  return undefined;
}

function tokensOf(rule: string): string[] {
  const tokens = rule
    .trim()
    .split(/\s+/)
    .filter((token) => token !== '');
  return tokens.length > 1 && tokens.at(-1) === '*' ? tokens.slice(0, -1) : tokens;
}

/** Words that hold more than a name: they may be commands. */
function textsIn(words: Words): string[] {
  return words.filter((word): word is string => word !== undefined && /[\s;&|$`<(]/.test(word));
}

/** Where a command may begin: with the program, and after one that starts others or is not known. */
function startsIn(words: Words): number[] {
  const [first] = words;
  const starts = first === undefined || STARTERS.has(programName(first)) || SHELLS.has(programName(first));
  return starts ? words.map((_, at) => at) : [0];
}

/** Whether the words from `at` on are what the rule names; options may stand between them, each with a value. */
function matches(words: Words, at: number, tokens: readonly string[]): boolean {
  const [program = '', ...rest] = tokens;
  const name = words[at];
  if (program === '*') return true;
  if (name === undefined || programName(name) !== programName(program)) return false;
  const after = words.slice(at + 1);
  const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';
  const options = rest.filter(isOption);
  const others = rest.filter((token) => !isOption(token));
  return options.every((option) => hasOption(after, option)) && inOrder(after, others);
}

function hasOption(words: Words, option: string): boolean {
  const letters = /^-[A-Za-z]{1,4}$/.test(option) ? Array.from(option.slice(1)) : undefined;
  const given = words.filter((word): word is string => word !== undefined && word.startsWith('-'));
  if (letters) {
    const bundles = given.filter((word) => /^-[A-Za-z0-9]+$/.test(word)).join('');
    if (letters.every((letter) => bundles.includes(letter))) return true;
  }
  // A long option may be shortened, and may have a value.
  return given.some((word) => {
    const [name = ''] = word.split('=', 1);
    return name === option || (option.startsWith('--') && name.length > 3 && option.startsWith(name));
  });
}

function inOrder(words: Words, tokens: readonly string[]): boolean {
  // Each state: how many tokens were found, and whether the next word may be the value of an option.
  let states = new Set(['0 ']);
  for (const word of words) {
    const next = new Set<string>();
    for (const state of states) {
      const [count = '0', value] = state.split(' ');
      const found = Number(count);
      if (found === tokens.length) return true;
      if (value === 'v') next.add(`${count} `);
      if (word === tokens[found]) next.add(`${found + 1} `);
      if (word === undefined || word === '--') next.add(`${count} `);
      else if (word.startsWith('-'))
        next.add(word.includes('=') ? `${count} ` : `${count} v`).add(`${count} `);
    }
    states = next;
  }
  return [...states].some((state) => Number(state.split(' ')[0]) === tokens.length);
}
