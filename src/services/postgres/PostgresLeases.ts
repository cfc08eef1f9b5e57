import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import type pg from 'pg';
import { LeaseTakenError, type LeaseHolder } from '../leases/Lease.ts';
import type { PostgresSession } from './PostgresSession.ts';
import { withPatience } from './transient.ts';

type Holder = LeaseHolder & { server: string };

interface Wanted {
  keys: Set<string>;
  holders: Promise<ReadonlyMap<string, Holder>>;
}

interface HeldLease {
  release(): Promise<void>;
  confirm(): Promise<'held' | 'anew'>;
}

/**
 * Who writes a task, among all servers at one database: an advisory lock of the connection that each of them holds, so that a server
 * that ends, on whichever machine and however, has none any more.
 */
export class PostgresLeases {
  readonly #session: PostgresSession;
  readonly #pool: pg.Pool;
  /** The tasks whose holders are to be asked for next, together. */
  #wanted: Wanted | undefined;

  constructor(session: PostgresSession, pool: pg.Pool) {
    this.#session = session;
    this.#pool = pool;
  }

  /** The folder's name is the task's id. @throws LeaseTakenError, LeaseLostError */
  async acquire(folder: string, lost: () => void): Promise<HeldLease> {
    const key = lockOf('task', basename(folder));
    const session = this.#session;
    // Bounded: between two rounds a holder has ended.
    for (let round = 0; round < 8; round++) {
      if (await session.lock(key, lost)) {
        let connection = session.connectionOf(key) ?? 0;
        return {
          release: async () => await session.unlock(key),
          confirm: async () => {
            const how = await session.confirm(key, connection);
            connection = session.connectionOf(key) ?? connection;
            return how;
          },
        };
      }
      const holder = await this.#holderOf([key]);
      if (holder) throw new LeaseTakenError(holder);
    }
    throw new Error('the lease keeps changing hands');
  }

  /** Those that are asked for at once are looked up at once: a listing asks for many. */
  async holder(folder: string): Promise<LeaseHolder | undefined> {
    const key = lockOf('task', basename(folder));
    this.#wanted ??= this.#gather();
    this.#wanted.keys.add(key);
    return (await this.#wanted.holders).get(key);
  }

  #gather(): Wanted {
    const keys = new Set<string>();
    const holders = immediate().then(async () => {
      this.#wanted = undefined;
      return await this.#holdersOf([...keys]);
    });
    return { keys, holders };
  }

  /** The server that has a turn of the task, or writes it. */
  async serverOf(taskId: string): Promise<string | undefined> {
    return (await this.#holderOf([lockOf('task', taskId), lockOf('turn', taskId)]))?.server;
  }

  /** Takes the right to run turns of the task, unless another server has it (`runs`), or writes the task for now (`writes`). */
  async takeTurn(taskId: string): Promise<'taken' | 'runs' | 'writes'> {
    if (!(await this.#session.lock(lockOf('turn', taskId), () => undefined))) return 'runs';
    const writer = await this.#holderOf([lockOf('task', taskId)]);
    if (writer === undefined || writer.server === this.#session.serverId) return 'taken';
    await this.leaveTurn(taskId);
    return 'writes';
  }

  async leaveTurn(taskId: string): Promise<void> {
    await this.#session.unlock(lockOf('turn', taskId));
  }

  async #holderOf(keys: readonly string[]): Promise<Holder | undefined> {
    const [holder] = (await this.#holdersOf(keys)).values();
    return holder;
  }

  /** By the keys of the locks that are held. */
  async #holdersOf(keys: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
    const { rows } = await withPatience(
      async () =>
        await this.#pool.query<{ key: string; name: string; started: Date }>(
          `SELECT (l.classid::bigint << 32 | l.objid::bigint)::text AS key, a.application_name AS name, a.backend_start AS started
           FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
           WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND a.datname = current_database()
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND (l.classid::bigint << 32 | l.objid::bigint) = ANY($1::bigint[])`,
          [keys],
        ),
    );
    return new Map(rows.map(({ key, name, started }) => [key, holderFrom(name, started)]));
  }
}

/** From what a server says of itself to PostgreSQL: `lathe <server> <pid> <host>`. */
function holderFrom(name: string, started: Date): Holder {
  const [, server = '', pid = '0', host = ''] = name.split(' ');
  const startedAt = started.toISOString();
  return { token: `${server} ${startedAt}`, host, pid: Number(pid), startedAt, server };
}

/** The number of a lock: 64 bits, so that two tasks do not share one by chance. */
function lockOf(kind: 'task' | 'turn', taskId: string): string {
  return createHash('sha256').update(`lathe ${kind} ${taskId}`).digest().readBigInt64BE().toString();
}
