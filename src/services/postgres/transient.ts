import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds in which a database that restarts is waited for, and between two attempts at most. */
const PATIENCE = 15_000;
const LONGEST_PAUSE = 1000;

/**
 * Does it again while the database restarts or the connection broke; what it does must be right when done twice. @throws the last
 * error, after 15 seconds, or at once where another attempt would meet it again
 */
export async function withPatience<T>(work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  const end = Date.now() + patience;
  for (let pause = 50; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || Date.now() + pause > end) throw error;
    }
    await delay(pause);
  }
}

/** Whether the database is away for a while: it restarts, or the way to it broke. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  if (typeof code === 'string')
    return (
      // Class 08: the connection; 57P0n: it stops, was stopped, starts; 53300: there are too many connections; 40001, 40P01: a race.
      /^(08...|57P0[123]|53300|40001|40P01)$/.test(code) ||
      ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
        code,
      )
    );
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|timeout expired)/.test(
    error.message,
  );
}
