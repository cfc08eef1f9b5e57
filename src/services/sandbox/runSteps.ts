import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** One program to start, without a shell. */
export interface SandboxStep {
  /** The program is absolute. */
  argv: readonly string[];
  /** To /dev/null, or of one output into the other. */
  redirects: readonly { descriptor: number | undefined; operator: string; target: string }[];
  /** What joins it to the next step. */
  joint: '|' | '&&' | '||' | ';' | undefined;
}

export interface StepsOptions {
  /** The words that start a step in the sandbox: a program and its arguments. */
  wrap: (argv: readonly string[]) => readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Called with text as it comes, of both outputs. `source` is one of one program. */
  onOutput: (text: string, source: object) => void;
  /** Aborts: all that runs is killed. */
  signal: AbortSignal;
  /** Told of each process when it starts and when it has ended. */
  onProcess: (child: ChildProcess, running: boolean) => void;
}

type Destination = 'next' | 'shown' | 'nowhere';

/** Runs the steps as a shell would: what is piped at a time, the rest by what became of it. @returns the exit code of the last */
export async function runSteps(steps: readonly SandboxStep[], options: StepsOptions): Promise<number> {
  let code = 0;
  let joint: SandboxStep['joint'] = ';';
  for (let at = 0; at < steps.length;) {
    let end = at;
    while (steps[end]?.joint === '|') end++;
    const pipeline = steps.slice(at, end + 1);
    const runs: boolean = joint === ';' || (joint === '&&' ? code === 0 : code !== 0);
    if (runs) {
      options.signal.throwIfAborted();
      code = await runPipeline(pipeline, options);
    }
    joint = pipeline.at(-1)?.joint;
    at = end + 1;
  }
  return code;
}

async function runPipeline(pipeline: readonly SandboxStep[], options: StepsOptions): Promise<number> {
  const children: ChildProcess[] = [];
  const killAll = (): void => {
    for (const child of children) killTree(child);
  };
  options.signal.addEventListener('abort', killAll, { once: true });
  try {
    const ended: Promise<number>[] = [];
    let input: Readable[] = [];
    pipeline.forEach((step, at) => {
      const { out, err, reads } = destinations(step, at < pipeline.length - 1);
      const piped = at > 0 && reads;
      const [program = '', ...args] = options.wrap(step.argv);
      const child = spawn(program, args, {
        env: options.environment,
        detached: true,
        stdio: [
          piped ? 'pipe' : 'ignore',
          out === 'nowhere' ? 'ignore' : 'pipe',
          err === 'nowhere' ? 'ignore' : 'pipe',
        ],
      });
      children.push(child);
      options.onProcess(child, true);
      feed(input, child);
      input = [];
      for (const [stream, destination] of [
        [child.stdout, out],
        [child.stderr, err],
      ] as const) {
        if (!stream) continue;
        if (destination === 'next') input.push(stream);
        else {
          stream.setEncoding('utf8');
          stream.on('data', (text: string) => options.onOutput(text, stream));
        }
      }
      ended.push(endOf(child).finally(() => options.onProcess(child, false)));
    });
    const codes = await Promise.all(ended);
    options.signal.throwIfAborted();
    return codes.at(-1) ?? 0;
  } catch (error) {
    killAll();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', killAll);
  }
}

/** Passes what earlier programs write to the next one, as a pipe does: who has nobody left to read it is told. */
function feed(sources: readonly Readable[], child: ChildProcess): void {
  const { stdin } = child;
  let open = sources.length;
  const drop = (): void => {
    for (const source of sources) source.destroy();
  };
  if (!stdin) {
    drop();
    return;
  }
  if (open === 0) stdin.end();
  // The reader has gone (`| head -1`), which is its right.
  stdin.on('error', drop);
  stdin.on('close', drop);
  for (const source of sources) {
    source.pipe(stdin, { end: false });
    source.on('close', () => {
      if (--open === 0) stdin.end();
    });
  }
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? (signal === null ? 1 : 128 + 9);
}

/** Where a program's outputs go, by its redirections in their order. */
function destinations(
  { redirects }: SandboxStep,
  piped: boolean,
): { out: Destination; err: Destination; reads: boolean } {
  const to: Record<1 | 2, Destination> = { 1: piped ? 'next' : 'shown', 2: 'shown' };
  let reads = true;
  for (const { descriptor, operator, target } of redirects) {
    switch (operator) {
      case '>':
      case '>>':
        to[descriptor === 2 ? 2 : 1] = 'nowhere';
        break;
      case '&>':
        to[1] = 'nowhere';
        to[2] = 'nowhere';
        break;
      case '<':
        reads = false;
        break;
      case '>&':
        to[descriptor === 2 ? 2 : 1] = to[target === '2' ? 2 : 1];
        break;
      default:
        throw new Error(`a redirection that no step may have: ${operator} ${target}`);
    }
  }
  return { out: to[1], err: to[2], reads };
}

/** The process and its group. In a sandbox of bubblewrap all the others end with it. */
export function killTree(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the whole group has ended, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
