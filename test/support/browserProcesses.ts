import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface BrowserProcess {
  pid: number;
  command: string;
}

/** Processes of browsers that the process `owner` started, by the profile that their command names. */
export function browserProcesses(owner = process.pid): BrowserProcess[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 }).split(
    '\n',
  );
  return lines.flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid !== undefined && command.includes(`lathe-browser-${owner}-`)
      ? [{ pid: Number(pid), command }]
      : [];
  });
}

/** Folders of such browsers. */
export function browserProfiles(owner = process.pid): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`lathe-browser-${owner}-`));
}

/** Waits for the last one to end; gives what is left when they do not. */
export async function remainingProcesses(owner = process.pid): Promise<BrowserProcess[]> {
  return await remaining(() => browserProcesses(owner));
}

/** The same for their folders. */
export async function remainingProfiles(owner = process.pid): Promise<string[]> {
  return await remaining(() => browserProfiles(owner));
}

async function remaining<T>(list: () => T[]): Promise<T[]> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (list().length === 0) return [];
    await sleep(50);
  }
  return list();
}

/** A browser has no sandbox as root, as in most containers. */
export const sandbox = process.getuid?.() !== 0;
