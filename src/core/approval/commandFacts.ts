import { realpath } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import type { ApprovalPolicy } from '../../shared/approvals.ts';
import type { CommandPart, JudgedCommand, SandboxedAs } from '../../shared/commands.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import { message, type Message } from '../../shared/strings.ts';
import type { Host } from '../host/Host.ts';
import type { ResolvedPath } from '../tools/TaskContext.ts';
import { ToolError } from '../tools/ToolError.ts';
import { escapeHidden } from './commands/characters.ts';
import { dangersOf } from './commands/dangers.ts';
import { expandPattern } from './commands/expandPattern.ts';
import { shellOf } from './commands/grammars.ts';
import type { CommandRules, Judgement, Step } from './commands/judgeCommand.ts';
import { modelOf } from './commands/programModels.ts';
import { pathsIn, type Places } from './commands/paths.ts';
import type { Shell } from './commands/Reading.ts';

/** What a command would do, and how it would run. */
export interface CommandFacts {
  judged: JudgedCommand;
  sandboxed: SandboxedAs | undefined;
  /** Whether the sandbox has the network: where the person wishes it, and not for programs that only look. */
  network: boolean;
  /** It would reach the network by itself behind content from outside. */
  afterUntrusted: boolean;
  /** What runs as `steps`: patterns of file names are replaced. */
  steps: Step[];
}

export interface CommandFactsOptions {
  command: string;
  folder: ResolvedPath;
  /** The workspace root, links resolved. */
  root: string;
  /** As the person's rules name it. */
  workspace: string;
  /** Our own data folders. */
  homes: readonly string[];
  policy: ApprovalPolicy;
  settings: Pick<EditorSettings, 'sandbox' | 'sandboxNetwork'>;
  /** Content from outside came to the model since the person spoke last. */
  afterUntrusted: boolean;
  host: Pick<Host, 'sandbox' | 'system' | 'files'>;
  /** The file gate. */
  resolve: (path: string) => Promise<ResolvedPath>;
  judge: (command: string, rules: CommandRules) => Promise<Judgement>;
}

/** Parts that a person looks at. */
const MOST_PARTS = 40;
/** Characters of a part that a card holds. */
const LONGEST_PART = 2000;

/** Looks at a command before anyone is asked. Runs nothing. */
export async function commandFacts(options: CommandFactsOptions): Promise<CommandFacts> {
  const { command, folder, root, policy, settings, host, judge } = options;
  const places: Places = {
    workspace: root,
    cwd: folder.real,
    absolute: host.system.platform !== 'win32',
    homes: options.homes,
  };
  const rules: CommandRules = { ...prefixRules(options), shell: shellFor(host), places };
  let judgement = await judge(command, rules);
  const exact = exactRules(judgement);
  const isAllowed = policy.allow.some(
    (rule) => rule.type === 'command' && rule.command === command && rule.cwd === folder.real,
  );
  if (isAllowed && judgement.verdict === 'ask' && exact)
    judgement = await judge(command, { ...rules, allow: [...rules.allow, ...exact] });

  const missing =
    settings.sandbox === 'off'
      ? message('sandbox.off')
      : ((await host.sandbox?.missing(root)) ?? (host.sandbox ? undefined : message('sandbox.platform')));
  const ready = judgement.verdict === 'auto' ? await readied(judgement.steps, options) : undefined;
  const obstacles = ready?.obstacles ?? [];
  const canRun = missing === undefined && folder.insideWorkspace && !policy.auto.all;
  const sandboxed =
    !canRun || judgement.verdict === 'deny'
      ? undefined
      : ready && obstacles.length === 0
        ? 'steps'
        : policy.auto.sandboxed === true || settings.sandbox === 'all'
          ? 'shell'
          : undefined;
  const why =
    judgement.verdict !== 'auto'
      ? judgement.why
      : sandboxed === 'steps'
        ? judgement.why
        : missing
          ? [missing]
          : obstacles;
  const steps = sandboxed === 'steps' ? (ready?.steps ?? []) : [];
  const network = settings.sandboxNetwork && (sandboxed === 'shell' || steps.some(({ changes }) => changes));
  const verdict = judgement.verdict === 'auto' && sandboxed !== 'steps' ? 'ask' : judgement.verdict;
  const always =
    verdict === 'ask' && judgement.verdict === 'ask' && canRun
      ? await offers(options, rules, judgement, exact)
      : { exact: false };
  return {
    judged: { verdict, why, ...(await described(judgement, options)), always },
    ...{ sandboxed, steps, network },
    afterUntrusted: network && options.afterUntrusted,
  };
}

/** Kept rules of this workspace as beginnings of commands. */
function prefixRules({ policy, workspace }: CommandFactsOptions): Pick<CommandRules, 'allow' | 'deny'> {
  const prefixes = (rules: ApprovalPolicy['allow']): string[] =>
    rules.flatMap((rule) =>
      rule.type === 'command_prefix' && rule.workspace === workspace ? [rule.prefix] : [],
    );
  return { allow: prefixes(policy.allow), deny: prefixes(policy.deny) };
}

/** A command without a shell's own syntax runs the same under any shell of Unix: what has no grammar is read as bash. */
function shellFor({ system }: CommandFactsOptions['host']): Shell {
  const shell = shellOf(system.shell);
  return shell === 'other' && system.platform !== 'win32' ? 'bash' : shell;
}

/** The rules that would allow each part word for word; undefined where a word cannot stand in a rule. */
function exactRules({ parts }: Judgement): string[] | undefined {
  const rules = parts.map(({ argv }) =>
    argv && argv.every((word) => /^\S+$/.test(word)) ? argv.join(' ') : undefined,
  );
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** What "always" may offer: only what would be automatic the next time, as the same judge sees it. */
async function offers(
  { command, judge }: CommandFactsOptions,
  rules: CommandRules,
  { parts }: Judgement,
  exact: readonly string[] | undefined,
): Promise<JudgedCommand['always']> {
  const wouldRun = async (more: readonly string[]): Promise<boolean> =>
    (await judge(command, { ...rules, allow: [...rules.allow, ...more] })).verdict === 'auto';
  if (!exact || !(await wouldRun(exact))) return { exact: false };
  const [part, ...others] = parts;
  const prefix = part && others.length === 0 ? prefixOf(part.argv ?? []) : undefined;
  const isNew = prefix !== undefined && prefix !== exact[0] && (await wouldRun([prefix]));
  return { exact: true, ...(isNew ? { prefix } : {}) };
}

/** The program, with its subcommand where it has such. Only of a program whose arguments are known. */
function prefixOf(argv: readonly string[]): string | undefined {
  const [program = '', second] = argv;
  const model = modelOf(program);
  if (!model || model.changes === true) return undefined;
  return program === 'git' ? (second === undefined ? undefined : `git ${second}`) : program;
}

/** The steps with their patterns replaced, each path of theirs through the gate. */
async function readied(
  steps: readonly Step[],
  options: CommandFactsOptions,
): Promise<{ steps: Step[]; obstacles: Message[] }> {
  const { folder, root, host } = options;
  const obstacles: Message[] = [];
  const ready: Step[] = [];
  for (const step of steps) {
    const [program = ''] = step.argv;
    if (host.sandbox && (await host.sandbox.findProgram(program, root)) === undefined)
      obstacles.push(message('sandbox.noProgram', { program }));
    if (program === 'git' && !(await hasOwnRepository(root, options))) obstacles.push(message('sandbox.git'));
    const argv: string[] = [];
    const paths = step.operands.filter(({ pattern }) => !pattern).map(({ path }) => path);
    for (const [at, word] of step.argv.entries()) {
      const found = step.patterns.includes(at)
        ? await expandPattern(word, folder.real, host.files)
        : undefined;
      argv.push(...(found ?? [word]));
      paths.push(...(found ?? []));
    }
    for (const path of paths) obstacles.push(...(await pathObstacle(path, options)));
    ready.push({ ...step, argv, patterns: [] });
  }
  return { steps: ready, obstacles: distinct(obstacles) };
}

async function pathObstacle(
  path: string,
  { folder, resolve: gate }: CommandFactsOptions,
): Promise<Message[]> {
  if (path === '-' || path === '/dev/null') return [];
  for (const candidate of pathsIn(path)) {
    try {
      const found = await gate(resolve(folder.real, candidate));
      if (!found.insideWorkspace) return [message('why.outsideWorkspace', { path })];
      if (found.protected) return [message('why.secret', { path })];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return [message('sandbox.gate', { path })];
    }
  }
  return [];
}

/** Git looks for its folder above the workspace too, where the sandbox has nothing. */
async function hasOwnRepository(root: string, { host }: CommandFactsOptions): Promise<boolean> {
  return (await host.files.status(join(root, '.git')))?.type === 'folder';
}

/** For a person: what each part is and runs, and what to know before a yes. */
async function described(
  { parts }: Judgement,
  { command, root, host }: CommandFactsOptions,
): Promise<Pick<JudgedCommand, 'parts' | 'more' | 'dangers'>> {
  const shown = await Promise.all(
    parts.slice(0, MOST_PARTS).map(async ({ source, argv, verdict, why }): Promise<CommandPart> => {
      const name = argv?.[0];
      const program = name === undefined ? undefined : await host.sandbox?.findProgram(name, root);
      return {
        source: clip(escapeHidden(source).trim()),
        ...(argv ? { argv: argv.map((word) => clip(escapeHidden(word))) } : {}),
        ...(program === undefined ? {} : { program: await realProgram(program) }),
        verdict,
        why,
      };
    }),
  );
  return {
    dangers: dangersOf(
      command,
      parts.map(({ argv, source }) => ({ words: argv ?? source.trim().split(/\s+/) })),
    ),
    parts: shown,
    more: parts.length - shown.length,
  };
}

async function realProgram(path: string): Promise<string> {
  try {
    return posix.normalize(await realpath(path));
  } catch (error) {
    // It went away meanwhile: its name is what there is to show.
    if (error instanceof Error && 'code' in error) return path;
    throw error;
  }
}

function clip(text: string): string {
  return text.length > LONGEST_PART ? `${text.slice(0, LONGEST_PART)}…` : text;
}

function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
}
