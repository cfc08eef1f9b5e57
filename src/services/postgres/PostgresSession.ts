import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { LeaseLostError } from '../leases/Lease.ts';

/** Milliseconds between two looks whether the connection is there, and how long an answer is waited for. */
const LOOK = 3000;
const ANSWER = 5000;
/** Milliseconds without a connection after which locks count as lost. */
const PATIENCE = 30_000;
/** Milliseconds that the end of the connection before this one is waited for, whose locks are taken anew. */
const HANDOVER = 5000;
/** What PostgreSQL gives up a silent connection after (5 s + 3 × 3 s) is longer than what this side needs to see it (8 s). */
const KEEP_ALIVE =
  'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 14000';

export interface PostgresSessionOptions {
  url: string;
  /** Names this server among those at the database: letters and digits. */
  serverId: string;
  logger: { warn: (text: string) => void };
}

interface Lock {
  lost: () => void;
  /** Of the connection that has it. */
  connection: number;
}

/**
 * The one connection that a server holds as long as it lives: what hangs on it are its locks (PostgreSQL frees them when the connection
 * ends, however the process ended) and what it hears of other servers. It connects again when it broke, and takes the locks anew.
 */
export class PostgresSession {
  readonly serverId: string;
  readonly #options: PostgresSessionOptions;
  readonly #locks = new Map<string, Lock>();
  readonly #channels = new Map<string, (payload: string) => void>();
  readonly #connectedListeners = new Set<() => void>();
  /** Undefined while there is none. */
  #client: pg.Client | undefined;
  /** How many connections there have been. */
  #connection = 0;
  #waiting: (() => void)[] = [];
  #looking: NodeJS.Timeout | undefined;
  #connecting = false;
  #closed = false;

  private constructor(options: PostgresSessionOptions) {
    this.#options = options;
    this.serverId = options.serverId;
  }

  /** @throws the first error */
  static async open(options: PostgresSessionOptions): Promise<PostgresSession> {
    const session = new PostgresSession(options);
    await session.#connect();
    return session;
  }

  /** Hears what is said on a channel; what was said while there was no connection is lost. */
  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#channels.set(channel, listener);
    await this.#client?.query(`LISTEN ${channel}`);
  }

  /** Hears when there is a connection again: something may have been missed. */
  onConnected(listener: () => void): void {
    this.#connectedListeners.add(listener);
  }

  /**
   * Takes a lock unless another server has it, or this one does. `lost` is called when it is lost while it is held.
   * @throws LeaseLostError when the database is away
   */
  async lock(key: string, lost: () => void): Promise<boolean> {
    if (this.#locks.has(key)) return false;
    const lock = { lost, connection: 0 };
    this.#locks.set(key, lock);
    try {
      const taken = await this.#tryLock(key, lock);
      if (!taken) this.#locks.delete(key);
      return taken;
    } catch (error) {
      this.#locks.delete(key);
      throw error;
    }
  }

  /**
   * Resolves when the lock is held: at once, or when there is a connection again and it was taken anew (`anew`).
   * @throws LeaseLostError
   */
  async confirm(key: string, connection: number): Promise<'held' | 'anew'> {
    await this.#ready();
    const lock = this.#locks.get(key);
    if (!lock) throw new LeaseLostError();
    return lock.connection === connection ? 'held' : 'anew';
  }

  /** The number of the connection that has the lock; undefined when it is not held. */
  connectionOf(key: string): number | undefined {
    return this.#locks.get(key)?.connection;
  }

  async unlock(key: string): Promise<void> {
    if (!this.#locks.delete(key)) return;
    // Without a connection it is free already.
    await this.#client
      ?.query('SELECT pg_advisory_unlock($1)', [key])
      .catch((error: unknown) => this.#broke(error));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    const client = this.#client;
    this.#client = undefined;
    this.#wake();
    await client?.end();
  }

  async #connect(): Promise<void> {
    const { url, serverId } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `lathe ${serverId} ${process.pid} ${hostname()}`.slice(0, 63),
      connectionTimeoutMillis: ANSWER,
      query_timeout: ANSWER,
      keepAlive: true,
    });
    client.on('error', (error) => this.#broke(error, client));
    client.on('end', () => this.#broke(new Error('it was ended'), client));
    client.on('notification', ({ channel, payload }) => this.#channels.get(channel)?.(payload ?? ''));
    await client.connect();
    try {
      await client.query(KEEP_ALIVE);
      // The connection before this one may not know yet that it has ended.
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name LIKE $1',
        [`lathe ${serverId} %`],
      );
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    this.#client = client;
    this.#connection++;
    for (const [key, lock] of [...this.#locks]) await this.#takeAnew(key, lock);
    this.#looking ??= setInterval(() => void this.#look(), LOOK).unref();
    this.#wake();
  }

  async #takeAnew(key: string, lock: Lock): Promise<void> {
    // One that is just being taken is no concern of this.
    if (lock.connection === 0 || lock.connection === this.#connection) return;
    for (const end = Date.now() + HANDOVER; Date.now() < end;) {
      if (!this.#client) return;
      if (await this.#tryLock(key, lock, this.#client)) return;
      await delay(100);
    }
    this.#lose(key, lock);
  }

  async #tryLock(key: string, lock: Lock, client?: pg.Client): Promise<boolean> {
    const own = client ?? (await this.#ready());
    const connection = this.#connection;
    const { rows } = await own.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [key]);
    if (rows[0]?.taken !== true) return false;
    lock.connection = connection;
    return true;
  }

  #lose(key: string, lock: Lock): void {
    if (this.#locks.get(key) !== lock) return;
    this.#locks.delete(key);
    lock.lost();
  }

  /** The connection, when there is one again. @throws LeaseLostError after half a minute */
  async #ready(): Promise<pg.Client> {
    for (const end = Date.now() + PATIENCE; ;) {
      if (this.#client && this.#isSettled()) return this.#client;
      if (this.#closed || Date.now() > end) throw new LeaseLostError();
      await Promise.race([
        new Promise<void>((resolve) => this.#waiting.push(resolve)),
        delay(500, undefined, { ref: false }),
      ]);
    }
  }

  /** Whether every lock is of this connection. */
  #isSettled(): boolean {
    return [...this.#locks.values()].every(
      ({ connection }) => connection === 0 || connection === this.#connection,
    );
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  async #look(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    try {
      await client.query('SELECT 1');
    } catch (error) {
      this.#broke(error, client);
    }
  }

  #broke(error: unknown, client = this.#client): void {
    if (!client || client !== this.#client) return;
    this.#client = undefined;
    if (this.#closed) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.logger.warn(`the connection to the database broke: ${reason}`);
    // What of it is still open ends by itself; nobody waits for that.
    client.end().catch(() => undefined);
    void this.#connectAgain();
  }

  async #connectAgain(): Promise<void> {
    if (this.#connecting) return;
    this.#connecting = true;
    const away = Date.now();
    for (let pause = 50; !this.#closed; pause = Math.min(pause * 2, 1000)) {
      try {
        await this.#connect();
        if (this.#isConnected()) break;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.logger.warn(`the database is away: ${reason}`);
      }
      if (Date.now() - away > PATIENCE) for (const [key, lock] of [...this.#locks]) this.#lose(key, lock);
      await delay(pause);
    }
    this.#connecting = false;
    if (this.#isConnected()) for (const listener of this.#connectedListeners) listener();
  }

  #isConnected(): boolean {
    return this.#client !== undefined;
  }
}
