import { message, type Message } from '../../../shared/strings.ts';
import { withoutGlobals } from './gitModel.ts';
import { pathObstacles, type Operand, type Places } from './paths.ts';
import { modelOf } from './programModels.ts';
import type { LiteralCommand, LiteralWord } from './Reading.ts';
import { isHarmless } from './Reading.ts';

/** What a rule makes of one command. */
export type Allowance =
  | { automatic: true; why: Message[]; operands: Operand[]; changes: boolean }
  | { automatic: false; why: Message[] };

/** They change the shell that they run in: there is no program of the name that would do the same. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': . [ alias autoload bg bind break builtin caller cd command compgen complete compopt continue coproc declare dirs disown emulate ' +
    'enable eval exec exit export fc fg foreach function getopts hash history if jobs let local logout mapfile noglob popd pushd ' +
    'read readarray readonly repeat return select set setopt shift shopt source suspend time times trap type typeset ulimit umask ' +
    'unalias unset unsetopt until vared wait while zle zmodload zstyle'
  ).split(' '),
);

/** Whatever is allowed: these give more away than one command. */
const NEVER: readonly RegExp[] = [
  /^(sudo|su|doas|pkexec|runas|npx|pnpx|bunx|pipx|uvx)( |$)/,
  /^(code|code-insiders|cursor|codium) (.* )?tunnel( |$)/,
];

/** Installers run code of the packages that they bring. */
const INSTALLERS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bun pip pip3 uv gem cargo go brew apt apt-get dnf yum pacman apk choco winget scoop snap composer poetry conda'.split(
    ' ',
  ),
);
const INSTALLING: ReadonlySet<string> = new Set(
  'i ci it cit install install-test add get update up upgrade sync exec x dlx create init link ln rebuild publish pip'.split(
    ' ',
  ),
);
const SCRIPTS: ReadonlySet<string> = new Set(['run', 'run-script', 'test', 't']);

/** Their arguments are programs, or name some. A rule of the name alone allows nothing. */
const RUN_OTHERS: ReadonlySet<string> = new Set(
  (
    'ash awk bash busybox chroot csh dash deno docker ed env ex expect fish gawk gdb ionice irb julia ksh less lua make man mawk more nice ' +
    'node nohup npx parallel perl php podman python python2 python3 Rscript ruby script sed setsid sh ssh stdbuf strace tar tclsh ' +
    'timeout vi vim nvim emacs watch xargs zip zsh'
  ).split(' '),
);

/** Whether a command may run by itself, and else why not. `piped`: whether it reads what another one writes. */
export function allowanceOf(
  { words, redirects }: LiteralCommand,
  piped: boolean,
  rules: readonly string[],
  places: Places,
): Allowance {
  const argv = words.map(({ text }) => text);
  const [program = ''] = argv;
  const asks = (...why: Message[]): Allowance => ({ automatic: false, why });
  const redirect = redirects.find((one) => !isHarmless(one));
  if (redirect) return asks(message('command.redirect', { text: `${redirect.operator} ${redirect.target}` }));
  if (words[0]?.pattern === true || !/^[A-Za-z0-9_][\w.+-]*$/.test(program))
    return asks(message('command.program', { program }));
  if (BUILTINS.has(program)) return asks(message('command.builtin', { program }));
  if (NEVER.some((pattern) => pattern.test(argv.join(' '))) || installs(argv))
    return asks(message('command.never', { program: named(argv) }));
  const plain = withoutGlobals(words).map(({ text }) => text);
  const rule = ruleFor(argv, rules) ?? ruleFor(plain, rules);
  if (rule === undefined) return asks(message('command.notAllowed', { program: named(argv) }));
  const known = modelOf(program);
  const model = known?.judge(words);
  if (model && 'operands' in model) {
    const why = model.operands.flatMap((operand) => pathObstacles(operand, 'read', places));
    return why.length > 0 ? asks(...why) : automatic(rule, model.operands, known?.changes === true);
  }
  return exactly(words, piped, rules, places, model?.why ?? unmodelled(program));
}

/** A program whose arguments are not known to be harmless: automatic only word for word, as the person allowed it. */
function exactly(
  words: readonly LiteralWord[],
  piped: boolean,
  rules: readonly string[],
  places: Places,
  otherwise: Message,
): Allowance {
  const argv = words.map(({ text }) => text);
  const [program = ''] = argv;
  const rule = parsed(rules).find(
    ({ tokens }) => tokens.length === argv.length && startsWith(argv, tokens),
  )?.rule;
  if (
    rule === undefined ||
    words.some(({ pattern }) => pattern) ||
    (argv.length === 1 && RUN_OTHERS.has(program))
  )
    return { automatic: false, why: [otherwise] };
  if (piped) return { automatic: false, why: [message('command.piped', { program })] };
  const operands = words
    .slice(1)
    .map(({ text }): Operand => ({ path: text, pattern: false, recursive: true }));
  const why = operands.flatMap((operand) => pathObstacles(operand, 'write', places));
  return why.length > 0 ? { automatic: false, why } : automatic(rule, operands, true);
}

function installs([program = '', ...rest]: readonly string[]): boolean {
  if (!INSTALLERS.has(program)) return false;
  const words = rest.filter((word) => !word.startsWith('-'));
  const [first] = words;
  // Alone, yarn installs.
  if (first === undefined) return program === 'yarn';
  return !SCRIPTS.has(first) && words.some((word) => INSTALLING.has(word));
}

function automatic(rule: string, operands: Operand[], changes: boolean): Allowance {
  return { automatic: true, why: [message('command.allowed', { rule })], operands, changes };
}

function unmodelled(program: string): Message {
  return message(RUN_OTHERS.has(program) ? 'command.runsOthers' : 'command.noModel', { program });
}

function ruleFor(argv: readonly string[], rules: readonly string[]): string | undefined {
  return parsed(rules).find(({ tokens }) => tokens.length > 0 && startsWith(argv, tokens))?.rule;
}

/** Word by word, in the same case: `ls` is the beginning of `ls -l`, not of `lsof`. */
function startsWith(argv: readonly string[], tokens: readonly string[]): boolean {
  return tokens.every((token, at) => argv[at] === token);
}

interface ParsedRule {
  rule: string;
  tokens: string[];
}

/** One list judges every part of a command. */
const parsedLists = new WeakMap<readonly string[], ParsedRule[]>();

function parsed(rules: readonly string[]): ParsedRule[] {
  let list = parsedLists.get(rules);
  if (!list) {
    list = rules.map((rule) => ({ rule, tokens: rule.split(/\s+/).filter((token) => token !== '') }));
    parsedLists.set(rules, list);
  }
  return list;
}

/** Enough of a command to know it by: the program and its subcommand. */
function named([program = '', second]: readonly string[]): string {
  return second !== undefined && /^[a-z][a-z-]*$/.test(second) ? `${program} ${second}` : program;
}
