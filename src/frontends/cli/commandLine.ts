import { parseArgs } from 'node:util';
import type { AutoApproval } from '../../shared/approvals.ts';
import { profileSchema, providerIds, type Profile } from '../../shared/settings.ts';

/** Words for a wrong command line; the process ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `Usage: lathe run "task" [--approve ask|reads|edits|all-sandboxed|all] [--mode code|ask|architect|debug|review|orchestrator|…] [--trust]
       lathe acp [--approve …] [--mode …] [--trust]
       lathe explain "command" [--allow "git status"]… [--deny "git push"]… [--shell bash|zsh|pwsh|cmd]
       lathe explain --jsonl < rows

run: runs one task in the current folder and streams to the terminal. Exits 0 when the task completes.
acp: serves an editor over standard input and output, by the Agent Client Protocol.

  --approve ask    everything asks
  --approve reads  reads inside the folder are automatic (default)
  --approve edits  so are edits inside the folder
  --approve all-sandboxed
                   and so is every command, in the sandbox; where there is none it is refused
  --approve all    your standing yes to everything, commands and protected files included

  --trust          the folder's own modes and slash commands count (.lathe, .kilocode, .roo); without it only yours do

explain: says whether a command could run by itself under these rules, and why not. Runs nothing.

  --jsonl          reads a row a line from the input, {"cmd", "shell", "allow", "deny"}, and writes one a line

Environment: LATHE_PROVIDER, LATHE_BASE_URL, LATHE_API_KEY, LATHE_MODEL, LATHE_TOOL_PROTOCOL (xml, native), LATHE_HOME,
  LATHE_SANDBOX (automatic, all, off), LATHE_SANDBOX_NETWORK (on, off)
`;

const automatic = new Map<string, AutoApproval>([
  ['ask', { read: false, edit: false, switchMode: false, all: false }],
  ['reads', { read: true, edit: false, switchMode: false, all: false }],
  ['edits', { read: true, edit: true, switchMode: true, all: false }],
  ['all-sandboxed', { read: true, edit: true, switchMode: true, sandboxed: true, all: false }],
  ['all', { read: true, edit: true, switchMode: true, browser: true, all: true }],
]);

export type CommandLine =
  | { command: 'help' | 'version' }
  | { command: 'acp'; automatic: AutoApproval | undefined; mode: string | undefined; trust: boolean }
  | { command: 'run'; task: string; automatic: AutoApproval; mode: string | undefined; trust: boolean }
  | { command: 'explain'; text: string; allow: string[]; deny: string[]; shell: string }
  | { command: 'explain-rows' };

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  if (values.help === true || (positionals.length === 0 && values.version !== true))
    return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command, ...rest] = positionals;
  if (command === 'explain') return explainLine(rest, values);
  if (command !== 'run' && command !== 'acp') throw new UsageError(`There is no command '${command ?? ''}'.`);
  refuse(values, ['allow', 'deny', 'shell', 'jsonl'], command);
  if (command === 'acp') {
    if (rest.length > 0) throw new UsageError(`acp takes no '${rest.join(' ')}'.`);
    // Unless it is said here, what the person's settings say holds.
    return {
      command: 'acp',
      automatic: values.approve === undefined ? undefined : approval(values.approve),
      mode: values.mode,
      trust: values.trust === true,
    };
  }
  const task = rest.join(' ').trim();
  if (task === '') throw new UsageError('The task is missing: lathe run "what to do"');
  return {
    command: 'run',
    task,
    automatic: approval(values.approve ?? 'reads'),
    mode: values.mode,
    trust: values.trust === true,
  };
}

function approval(name: string): AutoApproval {
  const approve = automatic.get(name);
  if (!approve) throw new UsageError(`--approve takes one of: ${[...automatic.keys()].join(', ')}`);
  return approve;
}

type Values = ReturnType<typeof parseKnown>['values'];

function explainLine(rest: readonly string[], values: Values): CommandLine {
  refuse(values, ['approve', 'mode', 'trust'], 'explain');
  const { allow = [], deny = [], shell } = values;
  if (values.jsonl === true) {
    refuse(values, ['allow', 'deny', 'shell'], 'explain --jsonl');
    if (rest.length > 0)
      throw new UsageError('explain --jsonl takes no command: it reads rows from its input.');
    return { command: 'explain-rows' };
  }
  const [text, ...more] = rest;
  if (text === undefined || more.length > 0)
    throw new UsageError('explain takes one command, in quotes: lathe explain "git status && ls"');
  return { command: 'explain', text, allow, deny, shell: shell ?? 'bash' };
}

function refuse(values: Values, options: readonly (keyof Values)[], command: string): void {
  const given = options.find((option) => values[option] !== undefined);
  if (given) throw new UsageError(`${command} takes no --${given}.`);
}

function parse(args: readonly string[]): ReturnType<typeof parseKnown> {
  try {
    return parseKnown(args);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function parseKnown(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      approve: { type: 'string' },
      mode: { type: 'string' },
      trust: { type: 'boolean' },
      allow: { type: 'string', multiple: true },
      deny: { type: 'string', multiple: true },
      shell: { type: 'string' },
      jsonl: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
}

/** The model that the environment names, above the stored profiles. @throws UsageError naming the variable that is wrong */
export function profileFromEnvironment(
  environment: NodeJS.ProcessEnv,
): { profile: Profile; key: string | undefined } | undefined {
  const {
    LATHE_PROVIDER: provider,
    LATHE_MODEL: model,
    LATHE_BASE_URL: baseUrl,
    LATHE_TOOL_PROTOCOL: protocol,
  } = environment;
  if (!provider) {
    if (model || baseUrl)
      throw new UsageError(`LATHE_PROVIDER is missing. It is one of: ${providerIds.join(', ')}`);
    return undefined;
  }
  if (!model && provider !== 'tour')
    throw new UsageError('LATHE_MODEL is missing: the name of the model to use.');
  const parsed = profileSchema.safeParse({
    name: 'environment',
    provider,
    model: model ?? 'tour',
    ...(baseUrl ? { baseUrl } : {}),
    ...(protocol ? { protocol } : {}),
  });
  if (parsed.success) return { profile: parsed.data, key: environment.LATHE_API_KEY };
  const variables: Record<string, string> = {
    provider: 'LATHE_PROVIDER',
    model: 'LATHE_MODEL',
    baseUrl: 'LATHE_BASE_URL',
    protocol: 'LATHE_TOOL_PROTOCOL',
  };
  const lines = parsed.error.issues.map(
    (issue) => `${variables[String(issue.path[0])] ?? 'The environment'}: ${issue.message}`,
  );
  throw new UsageError(lines.join('\n'));
}
