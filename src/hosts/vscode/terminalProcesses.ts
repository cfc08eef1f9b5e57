import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process of a terminal. `started` tells it from a later one with the same number. */
export interface TerminalProcess {
  pid: number;
  started: string;
}

interface Listed extends TerminalProcess {
  parent: number;
  /** The terminal that it is attached to; undefined for none. */
  terminal: string | undefined;
}

/** Milliseconds between two looks at who is still there. */
const LOOK = 50;

/** The shell and what it started: its descendants, and whoever shares its terminal. */
export async function processesOfTerminal(shell: number): Promise<TerminalProcess[]> {
  const all = await list();
  const terminal = all.find(({ pid }) => pid === shell)?.terminal;
  const family = new Set([shell]);
  // Children come after their parents in no fixed order: again until nobody is new.
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(
    (one) =>
      family.has(one.pid) || (terminal !== undefined && one.terminal === terminal && one.pid !== process.pid),
  );
}

/** Waits until they have ended; those that have not by then are killed. */
export async function endProcesses(processes: readonly TerminalProcess[], patience: number): Promise<void> {
  let left = [...processes];
  for (const end = Date.now() + patience; Date.now() < end;) {
    left = await still(left);
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  for (const { pid } of await still(left)) kill(pid);
}

async function still(processes: readonly TerminalProcess[]): Promise<TerminalProcess[]> {
  const all = await list();
  return processes.filter(({ pid, started }) =>
    all.some((one) => one.pid === pid && one.started === started),
  );
}

async function list(): Promise<Listed[]> {
  switch (process.platform) {
    case 'linux':
      return await listOfLinux();
    case 'win32':
      // A console's processes end with it, whatever they think of it.
      return [];
    default:
      return await listOfUnix();
  }
}

async function listOfLinux(): Promise<Listed[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const listed = await Promise.all(
    names.map(async (name): Promise<Listed[]> => {
      try {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8');
        // The name in brackets can hold anything, brackets too.
        const [state, parent, , , terminal, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // Ended, and waits only for its parent to notice.
        if (state === 'Z') return [];
        return [
          {
            pid: Number(name),
            parent: Number(parent),
            terminal: terminal === '0' ? undefined : terminal,
            started: rest[14] ?? '',
          },
        ];
      } catch (error) {
        // It ended while we looked.
        if (error instanceof Error) return [];
        throw error;
      }
    }),
  );
  return listed.flat();
}

async function listOfUnix(): Promise<Listed[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pid=,ppid=,tty=,lstart=']);
  return stdout.split('\n').flatMap((line): Listed[] => {
    const [, pid, parent, terminal, started] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || started === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        terminal: terminal === undefined || /^\?+$/.test(terminal) ? undefined : terminal,
        started,
      },
    ];
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: it has just ended, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
