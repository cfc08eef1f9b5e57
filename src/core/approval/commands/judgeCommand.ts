import { message, type Message } from '../../../shared/strings.ts';
import { allowanceOf } from './allowance.ts';
import { doubtfulCharacters, hiddenCharacters, LONGEST_COMMAND } from './characters.ts';
import { deniedBy } from './denials.ts';
import type { Grammars } from './grammars.ts';
import { isProtectedTarget, NOWHERE, type Operand, type Places } from './paths.ts';
import type { FoundCommand, Joint, LiteralCommand, Reading, Redirect, Shell } from './Reading.ts';
import { readCmd } from './readCmd.ts';
import { readPowerShell } from './readPowerShell.ts';
import { readWithTreeSitter } from './readWithTreeSitter.ts';
import { readWithUnbash } from './readWithUnbash.ts';

export interface CommandRules {
  /** Beginnings of commands, word by word, in the same case: `git status` allows `git status -s`. */
  allow: readonly string[];
  /** As `allow`, but wherever the command stands, and past options. Beats `allow`. */
  deny: readonly string[];
  shell: Shell;
  /** Where operands are judged; without it, absolute paths are outside. */
  places?: Places;
}

/** One simple command within the whole. */
export interface CommandPart {
  /** As written. */
  source: string;
  /** The program and its arguments; undefined when some of it is only known when it runs. */
  argv: string[] | undefined;
  verdict: 'auto' | 'ask' | 'deny';
  why: Message[];
}

/** One program to start, without a shell. */
export interface Step {
  argv: string[];
  /** Which of the arguments are patterns of file names, to be replaced by what is found at the time, checked again. */
  patterns: number[];
  /** To /dev/null, or of one output into the other. */
  redirects: Redirect[];
  /** What joins it to the next step. */
  joint: Joint | undefined;
  /** Paths it is given, for the file gate: their names were looked at, links were not. */
  operands: Operand[];
  /** Whether it may change files of the workspace; else the program is known to only look. */
  changes: boolean;
}

export interface Judgement {
  /** `auto`: may run as `steps`, without a shell. `ask`: a person may say yes to it as a whole. `deny`: nobody is asked. */
  verdict: 'auto' | 'ask' | 'deny';
  why: Message[];
  /** Programs with their arguments, in the order of the text; of a command that asks those that are known before it runs. */
  argv: string[][];
  parts: CommandPart[];
  /** What runs when it is automatic; empty otherwise. */
  steps: Step[];
}

/**
 * Whether a command may run without a person. Pure: it depends on nothing that is installed, and on no file. Never throws.
 * Automatic is only what two grammars read as the same literal words, every one of them allowed and known to be harmless.
 */
export function judgeCommand(command: string, rules: CommandRules, grammars: Grammars): Judgement {
  const hidden = hiddenCharacters(command);
  if (hidden) return { verdict: 'deny', why: [hidden], argv: [], parts: [], steps: [] };
  const places = rules.places ?? NOWHERE;
  const readings = read(command, rules, grammars);
  const found = readings[0]?.found ?? [];
  const ending = (verdict: 'ask' | 'deny', why: Message[], parts: CommandPart[]): Judgement => ({
    verdict,
    why: distinct(why),
    argv: parts.flatMap(({ argv }) => (argv ? [argv] : [])),
    parts,
    steps: [],
  });

  const isPosix = rules.shell === 'bash' || rules.shell === 'zsh';
  const explained = (one: FoundCommand): CommandPart =>
    partOf(one, isPosix ? rules.allow : undefined, places);

  const denied = deniedBy(readings, rules.deny, grammars, rules.shell);
  if (denied) {
    const why = [message('command.denied', { rule: denied.rule })];
    const parts = found.map((one): CommandPart => {
      const part = explained(one);
      return one.source === denied.command.source ? { ...part, verdict: 'deny', why } : part;
    });
    return ending('deny', why, parts);
  }
  const target = isPosix
    ? readings.flatMap(({ written }) => written).find((path) => isProtectedTarget(path, places))
    : undefined;
  if (target !== undefined)
    return ending('deny', [message('command.redirectProtected', { path: target })], found.map(explained));

  const doubts = doubtfulCharacters(command);
  if (!isPosix) {
    const shell = SHELL_NAMES[rules.shell];
    return ending('ask', [message('command.shell', { shell }), ...doubts], found.map(explained));
  }
  const literals = agreed(readings);
  if (literals) return judgeLiterals(literals, doubts, rules, places, found);
  const parts = found.map(explained);
  const obstacles = command.trim() === '' ? [] : obstaclesOf(readings);
  return ending(
    'ask',
    [...doubts, ...obstacles, ...parts.flatMap((part) => (part.verdict === 'ask' ? part.why : []))],
    parts,
  );
}

/** Why the whole is not literal. That a text cannot be read says nothing beside a reason that names a piece of it. */
function obstaclesOf(readings: readonly Reading[]): Message[] {
  const all = readings.flatMap(({ obstacles }) => obstacles);
  if (all.length === 0) return readings.length > 1 ? [message('command.disagree')] : [];
  const telling = all.filter(({ key }) => key !== 'command.syntax');
  return (telling.length > 0 ? telling : all).slice(0, MOST_REASONS);
}

/** Reasons that a person reads at a glance. */
const MOST_REASONS = 4;

const SHELL_NAMES = {
  bash: 'bash',
  zsh: 'zsh',
  pwsh: 'PowerShell',
  cmd: 'cmd.exe',
  other: 'this shell',
} as const;

function read(command: string, { shell, deny }: CommandRules, grammars: Grammars): Reading[] {
  switch (shell) {
    case 'pwsh':
      return [readPowerShell(command, grammars.powershell)];
    case 'cmd':
      return [readCmd(command)];
    // What no grammar reads may still be denied by what looks like bash in it.
    case 'other':
    case 'bash':
    case 'zsh': {
      const second = readWithUnbash(command, grammars.unbash, shell);
      // So long a command asks anyway: where nothing in it could deny it, one reading is enough to explain it.
      if (command.length > LONGEST_COMMAND && deny.length === 0 && !command.includes('>')) return [second];
      return [readWithTreeSitter(command, grammars.bash, shell), second];
    }
  }
}

/** The literal commands, when both grammars see the same ones. */
function agreed(readings: readonly Reading[]): LiteralCommand[] | undefined {
  const [first, ...others] = readings.map(({ literal }) => literal);
  if (!first || others.length === 0) return undefined;
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined;
}

function judgeLiterals(
  literals: readonly LiteralCommand[],
  doubts: Message[],
  { allow }: CommandRules,
  places: Places,
  found: readonly FoundCommand[],
): Judgement {
  const parts: CommandPart[] = [];
  const steps: Step[] = [];
  literals.forEach((literal, at) => {
    const argv = literal.words.map(({ text }) => text);
    const allowance = allowanceOf(literal, literals[at - 1]?.joint === '|', allow, places);
    const source = found[at]?.source ?? argv.join(' ');
    parts.push({ source, argv, verdict: allowance.automatic ? 'auto' : 'ask', why: allowance.why });
    if (!allowance.automatic) return;
    const patterns = literal.words.flatMap(({ pattern }, index) => (pattern ? [index] : []));
    const { redirects, joint } = literal;
    const { operands, changes } = allowance;
    steps.push({ argv, patterns, redirects, joint, operands, changes });
  });
  const asking = parts.filter(({ verdict }) => verdict === 'ask');
  const argv = literals.map(({ words }) => words.map(({ text }) => text));
  const verdict = asking.length === 0 && doubts.length === 0 ? 'auto' : 'ask';
  const why =
    verdict === 'auto'
      ? parts.flatMap((part) => part.why)
      : [...doubts, ...asking.flatMap((part) => part.why)];
  return { verdict, why: distinct(why), argv, parts, steps: verdict === 'auto' ? steps : [] };
}

/** One command of a text that is not literal as a whole: what would be said of it alone. */
function partOf(
  { source, words, obstacles }: FoundCommand,
  allow: readonly string[] | undefined,
  places: Places,
): CommandPart {
  const argv = words.filter((word): word is string => word !== undefined);
  const known = argv.length === words.length;
  if (!known || obstacles.length > 0 || allow === undefined)
    return { source, argv: known ? argv : undefined, verdict: 'ask', why: distinct(obstacles) };
  const literal: LiteralCommand = {
    words: argv.map((text) => ({ text, pattern: false })),
    redirects: [],
    joint: undefined,
  };
  const { automatic, why } = allowanceOf(literal, false, allow, places);
  return { source, argv, verdict: automatic ? 'auto' : 'ask', why };
}

function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
}
