import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const PASSWORD = 'a password of tests';
/** Milliseconds for it to start, and to stop. */
const STARTING = 60_000;
const STOPPING = 20_000;

interface User {
  uid: number;
  gid: number;
}

/** A real PostgreSQL of the machine's own package, with its data in a temporary folder, on a free port of loopback. */
export class TestPostgres {
  readonly #folder: string;
  readonly #port: number;
  readonly #programs: string;
  /** It refuses to run as root: then it runs as the user of its package. */
  readonly #user: User | undefined;
  #process: ChildProcess | undefined;
  #output = '';
  #databases = 0;

  private constructor(folder: string, port: number, programs: string, user: User | undefined) {
    this.#folder = folder;
    this.#port = port;
    this.#programs = programs;
    this.#user = user;
  }

  static async start(): Promise<TestPostgres> {
    const programs = programsFolder();
    const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
    const folder = mkdtempSync(join(tmpdir(), 'lathe-postgres-'));
    const password = join(folder, 'password');
    writeFileSync(password, PASSWORD);
    chmodSync(password, 0o600);
    if (user) for (const path of [folder, password]) chownSync(path, user.uid, user.gid);
    execFileSync(
      join(programs, 'initdb'),
      [
        ...['-D', join(folder, 'data'), '-U', 'lathe', '--pwfile', password, '--no-sync', '-E', 'UTF8'],
        ...['--locale=C', '--auth-local=trust', '--auth-host=scram-sha-256'],
      ],
      { ...user, cwd: folder, stdio: 'pipe', timeout: STARTING },
    );
    const postgres = new TestPostgres(folder, await freePort(), programs, user);
    await postgres.resume();
    return postgres;
  }

  /** The address of one of its databases, which a person could have given. */
  url(database = 'postgres', password = PASSWORD): string {
    return `postgres://lathe:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/${database}`;
  }

  /** A new database. Resolves with its address. */
  async database(): Promise<string> {
    const name = `test${++this.#databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async query<T extends pg.QueryResultRow>(text: string, url = this.url()): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Nobody else reads or writes the table, until what this resolves with is called. */
  async lock(table: string, url: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: url });
    // A test that fails does not let go: then it is the database that ends.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table}`);
    return async () => await client.end();
  }

  /** Whether somebody waits for such a lock. */
  async isWaitedFor(url: string): Promise<boolean> {
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    return (await this.query(waiting, url)).length > 0;
  }

  /** Starts it (again) over its data. */
  async resume(): Promise<void> {
    this.#output = '';
    const child = spawn(
      join(this.#programs, 'postgres'),
      [
        ...['-D', join(this.#folder, 'data'), '-p', String(this.#port), '-k', this.#folder],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'synchronous_commit=off'],
        ...['-c', 'full_page_writes=off', '-c', 'max_connections=60', '-c', 'shared_buffers=32MB'],
      ],
      { ...this.#user, cwd: this.#folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#process = child;
    const keep = (data: Buffer): void => {
      this.#output = (this.#output + data.toString('utf8')).slice(-10_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    for (const end = Date.now() + STARTING; ;) {
      try {
        await this.query('SELECT 1');
        return;
      } catch (error) {
        if (child.exitCode !== null || Date.now() > end)
          throw new Error(`PostgreSQL did not start: ${this.#output}`, { cause: error });
      }
      await delay(50);
    }
  }

  /** Stops it at once: transactions are broken off and clients lose their connections. */
  async pause(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    const inTime = await Promise.race([ended, delay(STOPPING, undefined, { ref: false })]);
    if (inTime) return;
    child.kill('SIGQUIT');
    await ended;
  }

  async stop(): Promise<void> {
    await this.pause();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Of the newest version of Debian's package, or wherever the environment says. */
function programsFolder(): string {
  const named = process.env.LATHE_TEST_POSTGRES;
  if (named !== undefined) return named;
  const versions = '/usr/lib/postgresql';
  const newest = existsSync(versions)
    ? readdirSync(versions)
        .filter((version) => existsSync(join(versions, version, 'bin', 'initdb')))
        .sort((a, b) => Number(b) - Number(a))[0]
    : undefined;
  if (newest === undefined)
    throw new Error('These tests need PostgreSQL: apt-get install -y --no-install-recommends postgresql');
  return join(versions, newest, 'bin');
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
