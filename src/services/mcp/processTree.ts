import { spawn as spawnNow, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds that a server gets after its input has ended, and again after it was asked to end. */
const GRACE = 1500;

/** Ends a process and all that it started: its input is closed, then it is asked, then it is killed. Never fails. */
export async function endTree(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const exited = new Promise<void>((resolve) => {
    if (hasEnded(child)) resolve();
    else child.once('exit', () => resolve());
  });
  child.stdin?.destroy();
  await Promise.race([exited, delay(GRACE)]);
  // The group is signalled although its leader may have ended: what it started may not have.
  signalTree(pid, 'SIGTERM');
  if (!hasEnded(child)) await Promise.race([exited, delay(GRACE)]);
  signalTree(pid, 'SIGKILL');
  await Promise.race([exited, delay(GRACE)]);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    if (signal === 'SIGKILL')
      spawnNow('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => undefined,
      );
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nobody is left in the group, or what is left is not ours.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')))
      throw error;
  }
}
