import { parseArgs } from 'node:util';
import type { AutoApproval } from '../../shared/approvals.ts';
import { profileSchema, providerIds, type Profile } from '../../shared/settings.ts';

/** Words for a wrong command line; the process ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `Usage: lathe run "task" [--approve ask|reads|edits|all-sandboxed|all] [--mode code|ask|architect|debug|review|orchestrator|…]
                        [--model name] [--max-turns n] [--max-cost dollars] [--json] [--trust]
       lathe run --resume task|last ["more to say"] [the options of run but --mode]
       lathe tasks [--all] [--json]
       lathe show task|last [--json]
       lathe replay task|last|file [--json]
       lathe acp [--approve …] [--mode …] [--trust]
       lathe serve [--port n] [--host address] [--name host]… [--database url] [--approve …] [--mode …] [--trust]
       lathe rebuild [--database url]
       lathe explain "command" [--allow "git status"]… [--deny "git push"]… [--shell bash|zsh|pwsh|cmd]
       lathe explain --jsonl < rows

run: runs one task in the current folder and streams to the terminal.

  --approve ask    everything asks
  --approve reads  reads inside the folder are automatic (default)
  --approve edits  so are edits inside the folder
  --approve all-sandboxed
                   and so is every command, in the sandbox; where there is none it is refused
  --approve all    your standing yes to everything, commands and protected files included

  --model name     a model of LATHE_PROVIDER where that is set, else a profile of the settings
  --max-turns n    requests to the model in one turn; ends with 3 when they are used up
  --max-cost n     US dollars for this run, subtasks included; ends with 3 when they are spent, or the price is not known
  --resume task    goes on with a task of this folder: its id, the beginning of it, or last
  --json           a line of JSON for each event instead of words: {"taskId", "parent", "entry" or "delta"}
  --trust          the folder's own modes and slash commands count (.lathe, .kilocode, .roo); without it only yours do

  Exits with 0 when the task completes, 1 when it fails, 2 when it was called wrongly, 3 at a limit, 4 when it ends with a
  question to a person, 130 when it is stopped. What is stopped is kept: lathe run --resume last

tasks: lists the tasks of the current folder, or of all folders with --all.
show: prints a task as markdown, or its journal as JSON.
replay: goes through a task again without its model and its machine, and compares: a task of here, or a journal or an exported
  task from elsewhere. Runs, sends and writes nothing. Exits with 0 when all is the same, 1 when it differs, 2 when there is none.
acp: serves an editor over standard input and output, by the Agent Client Protocol.
serve: serves the current folder over HTTP: chat with server-sent events, WebSocket, every method of the protocol.

  --port n         8000 unless said; 0 takes a free one
  --host address   127.0.0.1 unless said; any other asks clients for the token of LATHE_TOKEN
  --name host      a further name by which clients call it, as behind a proxy
  --database url   a file of SQLite, or postgres://…; chat.db in the data folder unless said

rebuild: makes the tables of that database again from the journals.
explain: says whether a command could run by itself under these rules, and why not. Runs nothing.

  --jsonl          reads a row a line from the input, {"cmd", "shell", "allow", "deny"}, and writes one a line

Environment: LATHE_PROVIDER, LATHE_BASE_URL, LATHE_API_KEY, LATHE_MODEL, LATHE_TOOL_PROTOCOL (xml, native), LATHE_HOME,
  LATHE_SANDBOX (automatic, all, off), LATHE_SANDBOX_NETWORK (on, off)
Settings: headless.json in the data folder, with the names that they have in VS Code (lathe.requestLimit, …); the environment
  counts before it, and flags before both
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
  | ({ command: 'run' } & RunLine)
  | ({ command: 'serve' } & ServeLine)
  | { command: 'rebuild'; database: string | undefined }
  | { command: 'tasks'; all: boolean; json: boolean }
  | { command: 'show'; task: string; json: boolean }
  | { command: 'replay'; task: string; json: boolean }
  | { command: 'explain'; text: string; allow: string[]; deny: string[]; shell: string }
  | { command: 'explain-rows' };

interface ServeLine {
  port: number;
  host: string;
  names: string[];
  /** A path, or an address that begins with postgres:// or postgresql://. */
  database: string | undefined;
  automatic: AutoApproval | undefined;
  mode: string | undefined;
  trust: boolean;
}

interface RunLine {
  /** What to do; with `resume` it may be missing. */
  task: string | undefined;
  /** The id of a task, the beginning of one, or `last`. */
  resume: string | undefined;
  automatic: AutoApproval;
  mode: string | undefined;
  model: string | undefined;
  maxTurns: number | undefined;
  /** US dollars. */
  maxCost: number | undefined;
  json: boolean;
  trust: boolean;
}

/** Options of each command. */
const taken = {
  run: ['approve', 'mode', 'model', 'max-turns', 'max-cost', 'resume', 'json', 'trust'],
  acp: ['approve', 'mode', 'trust'],
  serve: ['port', 'host', 'name', 'database', 'approve', 'mode', 'trust'],
  rebuild: ['database'],
  tasks: ['all', 'json'],
  show: ['json'],
  replay: ['json'],
  explain: ['allow', 'deny', 'shell', 'jsonl'],
} as const satisfies Record<string, readonly (keyof Values)[]>;

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  if (values.help === true || (positionals.length === 0 && values.version !== true))
    return { command: 'help' };
  if (values.version === true) return { command: 'version' };
  const [command = '', ...rest] = positionals;
  if (!isCommand(command)) throw new UsageError(`There is no command '${command}'.`);
  const allowed: readonly string[] = taken[command];
  const other = Object.keys(values).find((option) => !allowed.includes(option));
  if (other !== undefined) throw new UsageError(`${command} takes no --${other}.`);
  switch (command) {
    case 'run':
      return { command, ...runLine(rest, values) };
    case 'acp':
      if (rest.length > 0) throw new UsageError(`acp takes no '${rest.join(' ')}'.`);
      // Unless it is said here, what the person's settings say holds.
      return {
        command,
        automatic: values.approve === undefined ? undefined : approval(values.approve),
        mode: values.mode,
        trust: values.trust === true,
      };
    case 'serve':
      if (rest.length > 0) throw new UsageError(`serve takes no '${rest.join(' ')}'.`);
      return {
        ...{ command, host: values.host ?? '127.0.0.1', names: values.name ?? [] },
        port: values.port === undefined ? USUAL_PORT : portOf(values.port),
        database: values.database,
        automatic: values.approve === undefined ? undefined : approval(values.approve),
        ...{ mode: values.mode, trust: values.trust === true },
      };
    case 'rebuild':
      if (rest.length > 0) throw new UsageError(`rebuild takes no '${rest.join(' ')}'.`);
      return { command, database: values.database };
    case 'tasks':
      if (rest.length > 0) throw new UsageError(`tasks takes no '${rest.join(' ')}'.`);
      return { command, all: values.all === true, json: values.json === true };
    case 'show':
    case 'replay':
      return { command, task: onlyTask(command, rest), json: values.json === true };
    case 'explain':
      return explainLine(rest, values);
  }
}

function isCommand(word: string): word is keyof typeof taken {
  return Object.hasOwn(taken, word);
}

function onlyTask(command: string, [task = '', ...more]: readonly string[]): string {
  if (task === '' || more.length > 0)
    throw new UsageError(`${command} takes one task: lathe ${command} last, or an id of lathe tasks`);
  return task;
}

function runLine(rest: readonly string[], values: Values): RunLine {
  const task = rest.join(' ').trim();
  const { resume, mode, model } = values;
  if (resume === '') throw new UsageError('--resume takes a task: its id, the beginning of it, or last');
  if (resume === undefined && task === '')
    throw new UsageError('The task is missing: lathe run "what to do"');
  if (resume !== undefined && mode !== undefined)
    throw new UsageError('--resume goes on in the mode of the task: leave --mode away.');
  const maxTurns = positive(values, 'max-turns');
  if (maxTurns !== undefined && !Number.isInteger(maxTurns))
    throw new UsageError('--max-turns takes a whole number.');
  return {
    ...{ task: task === '' ? undefined : task, resume, mode, model, maxTurns },
    maxCost: positive(values, 'max-cost'),
    automatic: approval(values.approve ?? 'reads'),
    json: values.json === true,
    trust: values.trust === true,
  };
}

function positive(values: Values, option: 'max-turns' | 'max-cost'): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new UsageError(`--${option} takes a number above zero, not '${text}'.`);
  return number;
}

function approval(name: string): AutoApproval {
  const approve = automatic.get(name);
  if (!approve) throw new UsageError(`--approve takes one of: ${[...automatic.keys()].join(', ')}`);
  return approve;
}

type Values = ReturnType<typeof parseKnown>['values'];

function explainLine(rest: readonly string[], values: Values): CommandLine {
  const { allow = [], deny = [], shell } = values;
  if (values.jsonl === true) {
    const given = (['allow', 'deny', 'shell'] as const).find((option) => values[option] !== undefined);
    if (given) throw new UsageError(`explain --jsonl takes no --${given}.`);
    if (rest.length > 0)
      throw new UsageError('explain --jsonl takes no command: it reads rows from its input.');
    return { command: 'explain-rows' };
  }
  const [text, ...more] = rest;
  if (text === undefined || more.length > 0)
    throw new UsageError('explain takes one command, in quotes: lathe explain "git status && ls"');
  return { command: 'explain', text, allow, deny, shell: shell ?? 'bash' };
}

const USUAL_PORT = 8000;

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`--port is a number up to 65535, not '${text}'.`);
  return port;
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
      model: { type: 'string' },
      'max-turns': { type: 'string' },
      'max-cost': { type: 'string' },
      resume: { type: 'string' },
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      trust: { type: 'boolean' },
      port: { type: 'string' },
      host: { type: 'string' },
      name: { type: 'string', multiple: true },
      database: { type: 'string' },
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
