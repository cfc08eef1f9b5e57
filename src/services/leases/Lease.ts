import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

const holderSchema = z.object({
  token: z.string(),
  host: z.string(),
  pid: z.number(),
  startedAt: z.string(),
});
export type LeaseHolder = z.infer<typeof holderSchema>;

/** Another process holds it. */
export class LeaseTakenError extends Error {
  override readonly name = 'LeaseTakenError';
  constructor(readonly holder: LeaseHolder) {
    super(`process ${holder.pid} on ${holder.host} holds the lease`);
  }
}

/** It was taken by another process, or nobody can say any more who has it. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor() {
    super('the lease was lost');
  }
}

/**
 * One holder at a time: `<name>.json` in a folder names the process (host, pid, start time) that has it.
 * A holder on this machine that has ended loses it; one on another machine (a shared folder) is never assumed dead.
 */
export class Lease {
  private constructor(
    readonly folder: string,
    readonly name: string,
    readonly token: string,
  ) {}

  /** @throws LeaseTakenError while another live process holds it */
  static async acquire(folder: string, name: string): Promise<Lease> {
    const path = join(folder, `${name}.json`);
    const token = randomUUID();
    const own = join(folder, `${name}.${token}`);
    const holder: LeaseHolder = {
      token,
      host: hostname(),
      pid: process.pid,
      startedAt: await startTime(process.pid),
    };
    await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
    try {
      // Bounded: each round either takes the lease, finds a live holder, or removes one dead holder.
      for (let round = 0; round < 8; round++) {
        try {
          // link() fails when the name is taken: the lease appears whole or not at all.
          await link(own, path);
          return new Lease(folder, name, token);
        } catch (error) {
          if (!isCode(error, 'EEXIST')) throw error;
        }
        const taken = await readHolder(path);
        if (taken && (await isAlive(taken))) throw new LeaseTakenError(taken);
        await removeDead(path, taken?.token);
      }
      throw new Error(`the lease in ${folder} keeps changing hands`);
    } finally {
      await rm(own, { force: true });
    }
  }

  /** The live process that holds a task's lease, if any. */
  static async holder(folder: string, name: string): Promise<LeaseHolder | undefined> {
    const taken = await readHolder(join(folder, `${name}.json`));
    return taken && (await isAlive(taken)) ? taken : undefined;
  }

  async release(): Promise<void> {
    const path = join(this.folder, `${this.name}.json`);
    const holder = await readHolder(path);
    if (holder?.token === this.token) await rm(path, { force: true });
  }
}

/** Renames the dead holder's lease away; if someone else's lease was there by then, it is put back. */
async function removeDead(path: string, token: string | undefined): Promise<void> {
  const aside = `${path}.dead-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = await readHolder(aside);
  if (moved && moved.token !== token) {
    try {
      await link(aside, path);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
  }
  await rm(aside, { force: true });
}

async function readHolder(path: string): Promise<LeaseHolder | undefined> {
  try {
    const parsed = holderSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (isCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function isAlive(holder: LeaseHolder): Promise<boolean> {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (isCode(error, 'ESRCH')) return false;
    if (!isCode(error, 'EPERM')) throw error;
  }
  const now = await startTime(holder.pid);
  return now === '' || holder.startedAt === '' || now === holder.startedAt;
}

/** When a process started, in the kernel's words, so that a reused pid is told apart; '' where it cannot be read. */
async function startTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the command in field 2 is in parentheses and may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
