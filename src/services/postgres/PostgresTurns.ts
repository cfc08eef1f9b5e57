import { createHash } from 'node:crypto';
import type pg from 'pg';
import { PgBoss, type Db, type JobWithMetadata } from 'pg-boss';
import type { WaitingCall } from '../../shared/sharing.ts';
import type { PostgresLeases } from './PostgresLeases.ts';
import { alone } from './migrate.ts';
import { transaction } from './transaction.ts';
import { withPatience } from './transient.ts';

/** Turns that one server runs at a time: most of a turn is waiting, for the model or a person. */
const TURNS = 500;
/** Milliseconds between two looks for jobs, beside those when one is told of; and for servers that have ended. */
const LOOK = 2000;
/** Milliseconds between two signs of life of a job. */
const SIGN_OF_LIFE = 3000;
/** Seconds: a job whose server gave no sign of life for so long is given to another one. The queue's least is 10. */
const HEARTBEAT = 10;
/** Seconds. A turn may last as long as a person takes for an answer: a job that is older is looked at anew, and found to run. */
const LONGEST = 24 * 60 * 60;
/** Seconds before a job is tried again, and before one that has ended is deleted. */
const AGAIN = 1;
const KEPT = 60;
const SCHEMA = 'lathe_jobs';

export interface PostgresTurnsOptions {
  pool: pg.Pool;
  serverId: string;
  leases: PostgresLeases;
  /** The workspace: servers of one take turns in it, and in no other. */
  cwd: string;
  logger: { warn: (text: string) => void; error: (text: string, error: unknown) => void };
}

/** Runs the turns that a task is to have. `tries`: how often that was begun before, on other servers perhaps. Rejects where it is to be
 * begun again. */
export type RunTurns = (taskId: string, tries: number) => Promise<void>;

interface TurnJob {
  taskId: string;
}

interface RunningJob {
  jobId: string;
  /** A further job of its task came meanwhile and was let go. */
  letGo: boolean;
}

/**
 * The turns of all servers of a workspace, as jobs of a queue: whoever is free takes one, and of each task one at a time. The job of a
 * server that has ended is taken by another one.
 */
export class PostgresTurns {
  readonly #options: PostgresTurnsOptions;
  readonly #boss: PgBoss;
  readonly #queue: string;
  /** The jobs that run here, by their tasks. */
  readonly #running = new Map<string, RunningJob>();
  /** What was begun with jobs, until it has ended. */
  readonly #ending = new Set<Promise<void>>();
  #run: RunTurns | undefined;
  /** Servers that were missed once: a connection may break for a moment. */
  #missed = new Set<string>();
  #wake: () => void = () => undefined;
  #woken = false;
  #looping: Promise<void> | undefined;
  #signs: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: PostgresTurnsOptions) {
    this.#options = options;
    const { pool, logger, cwd } = options;
    this.#queue = `turns-${createHash('sha256').update(cwd).digest('hex').slice(0, 16)}`;
    this.#boss = new PgBoss({
      db: { executeSql: async (text, values) => await pool.query(text, values as unknown[]) },
      schema: SCHEMA,
      schedule: false,
      superviseIntervalSeconds: 2,
      monitorIntervalSeconds: 2,
      maintenanceIntervalSeconds: 60,
    });
    this.#boss.on('error', (error) => logger.warn(`the queue of turns: ${error.message}`));
    this.#boss.on('warning', ({ message }) => logger.warn(`the queue of turns: ${message}`));
  }

  /** Makes the queue, and takes jobs from it until it is stopped. */
  async start(run: RunTurns): Promise<void> {
    this.#run = run;
    // It makes its tables without looking whether another does.
    await alone(this.#options.pool, async () => {
      await this.#boss.start();
      await this.#makeQueue();
    });
    this.#looping = this.#loop();
    this.#signs = setInterval(() => void this.#giveSigns(), SIGN_OF_LIFE).unref();
  }

  async #makeQueue(): Promise<void> {
    const settings = {
      heartbeatSeconds: HEARTBEAT,
      expireInSeconds: LONGEST,
      retryLimit: 1_000_000,
      retryDelay: AGAIN,
      deleteAfterSeconds: KEPT,
    };
    // One waits for each task; how many of them run is for the lease to say.
    await this.#boss.createQueue(this.#queue, { ...settings, policy: 'short' });
    await this.#boss.updateQueue(this.#queue, settings);
  }

  /** Has the task get a turn, on whichever server; the call is kept for it. Resolves when both are written down. */
  async add(taskId: string, call?: WaitingCall): Promise<void> {
    await withPatience(
      async () =>
        await transaction(this.#options.pool, async (client) => {
          const db: Db = {
            executeSql: async (text, values) => await client.query(text, values as unknown[]),
          };
          if (call)
            await client.query(
              'INSERT INTO lathe_calls (id, task_id, method, params, caller) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
              [call.id, taskId, call.method, JSON.stringify(call.params), call.caller],
            );
          await client.query('INSERT INTO lathe_turns (task_id) VALUES ($1) ON CONFLICT DO NOTHING', [
            taskId,
          ]);
          await this.#boss.send(this.#queue, { taskId }, { singletonKey: taskId, db });
        }),
    );
    this.look();
  }

  /** The calls that wait for the task's turn, oldest first. */
  async calls(taskId: string): Promise<WaitingCall[]> {
    const { rows } = await this.#query<{ id: string; method: string; params: string; caller: string }>(
      'SELECT id, method, params, caller FROM lathe_calls WHERE task_id = $1 ORDER BY position',
      [taskId],
    );
    return rows.map(({ params, ...row }) => ({ ...row, params: JSON.parse(params) as unknown }));
  }

  /** Forgets calls that have been answered, or all of a task. Resolves with those that were there. */
  async forget(taskId: string, ids?: readonly string[]): Promise<{ id: string; caller: string }[]> {
    const { rows } = await this.#query<{ id: string; caller: string }>(
      'DELETE FROM lathe_calls WHERE task_id = $1 AND ($2::text[] IS NULL OR id = ANY($2)) RETURNING id, caller',
      [taskId, ids ?? null],
    );
    return rows;
  }

  /** Whether the task has a turn, or is to have one. */
  async has(taskId: string): Promise<boolean> {
    return (await this.#query('SELECT 1 FROM lathe_turns WHERE task_id = $1', [taskId])).rows.length > 0;
  }

  /** Whether turns of the task run here. */
  runs(taskId: string): boolean {
    return this.#running.has(taskId);
  }

  /** Looks for jobs now. */
  look(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Takes no more jobs. */
  pause(): void {
    this.#stopped = true;
    this.look();
  }

  /** Resolves when those that ran are back in the queue or done; their turns must have been broken off. */
  async stop(): Promise<void> {
    this.pause();
    await this.#looping;
    await Promise.all(this.#ending);
    clearInterval(this.#signs);
    await this.#boss.stop({ graceful: false, close: false });
  }

  async #loop(): Promise<void> {
    let looked = 0;
    while (!this.#stopped) {
      this.#woken = false;
      try {
        if (Date.now() - looked >= LOOK) {
          looked = Date.now();
          await this.#missServers();
        }
        const free = TURNS - this.#running.size;
        const jobs =
          free > 0
            ? await this.#boss.fetch<TurnJob>(this.#queue, { batchSize: free, includeMetadata: true })
            : [];
        for (const job of jobs) this.#begin(job);
      } catch (error) {
        this.#options.logger.warn(
          `no turns are taken: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      if (!this.#isWanted()) await this.#rest();
    }
  }

  #isWanted(): boolean {
    return this.#woken || this.#stopped;
  }

  /** Until somebody says that there is a job, or for a while. */
  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  #begin(job: JobWithMetadata<TurnJob>): void {
    const { taskId } = job.data;
    const known = this.#running.get(taskId);
    if (!known) {
      const kept = { jobId: job.id, letGo: false };
      this.#running.set(taskId, kept);
      this.#follow(taskId, this.#runJob(job, kept));
    } else if (known.jobId !== job.id) {
      known.letGo = true;
      this.#follow(taskId, this.#finish(job.id));
    }
    // Else it was given back for want of a sign of life, and comes again: it runs.
  }

  #follow(taskId: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) =>
        this.#options.logger.error(`the job of the task ${taskId} was not ended`, error),
      )
      .finally(() => this.#ending.delete(done));
    this.#ending.add(done);
  }

  async #runJob(job: JobWithMetadata<TurnJob>, kept: RunningJob): Promise<void> {
    const { taskId } = job.data;
    let ended = false;
    try {
      ended = await this.#take(job);
    } finally {
      this.#running.delete(taskId);
    }
    // From here on nothing is let go. A call that came while the turn was, or whose job was, is for the next one.
    if ((ended || kept.letGo) && (await this.calls(taskId)).length > 0) await this.add(taskId);
  }

  /** Whether the turn has ended, and not only the attempt. */
  async #take(job: JobWithMetadata<TurnJob>): Promise<boolean> {
    const { leases, logger, serverId } = this.#options;
    const { taskId } = job.data;
    const again = job.retryCount > 0;
    let ended = false;
    try {
      const turn = await leases.takeTurn(taskId);
      if (turn !== 'taken') {
        // Who runs it was told of what this job is for; unless that server has lost its own job, and may have ended.
        if (again || turn === 'writes') await this.#tryAgain(job.id, 'another server runs this task');
        else await this.#finish(job.id);
        return false;
      }
      try {
        await this.#query(
          'INSERT INTO lathe_turns VALUES ($1, $2, $3) ON CONFLICT (task_id) DO UPDATE SET server_id = $2, job_id = $3',
          [taskId, serverId, job.id],
        );
        await this.#run?.(taskId, job.retryCount);
        ended = !this.#stopped;
      } finally {
        await leases.leaveTurn(taskId);
      }
    } catch (error) {
      logger.warn(`the task ${taskId}: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!ended) {
      await this.#query('UPDATE lathe_turns SET server_id = NULL, job_id = NULL WHERE job_id = $1', [job.id]);
      await this.#tryAgain(job.id, 'the server stopped, or could not run it');
      return false;
    }
    await this.#query('DELETE FROM lathe_turns WHERE job_id = $1', [job.id]);
    await this.#finish(job.id);
    return true;
  }

  async #finish(jobId: string): Promise<void> {
    await withPatience(async () => await this.#boss.complete(this.#queue, jobId));
  }

  async #tryAgain(jobId: string, reason: string): Promise<void> {
    await withPatience(async () => await this.#boss.fail(this.#queue, jobId, { reason }));
  }

  async #giveSigns(): Promise<void> {
    const ids = [...this.#running.values()].map(({ jobId }) => jobId);
    if (ids.length === 0) return;
    try {
      await this.#boss.touch(this.#queue, ids);
    } catch (error) {
      this.#options.logger.warn(
        `no sign of life was given: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Gives back the jobs of servers that are gone from the database, so that nobody has to wait for their heartbeat. */
  async #missServers(): Promise<void> {
    const { rows } = await this.#query<{ server: string; jobs: string[] }>(
      `SELECT t.server_id AS server, array_agg(t.job_id) AS jobs FROM lathe_turns t
       WHERE t.job_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a
         WHERE a.datname = current_database() AND a.application_name LIKE 'lathe ' || t.server_id || ' %')
       GROUP BY t.server_id`,
      [],
    );
    for (const { server, jobs } of rows) {
      if (!this.#missed.has(server)) continue;
      await this.#query('UPDATE lathe_turns SET server_id = NULL, job_id = NULL WHERE job_id = ANY($1)', [
        jobs,
      ]);
      await this.#boss.fail(this.#queue, jobs, { reason: 'its server has ended' });
      setTimeout(() => this.look(), AGAIN * 1000 + 100).unref();
    }
    this.#missed = new Set(rows.map(({ server }) => server));
  }

  async #query<T extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<T>> {
    return await withPatience(async () => await this.#options.pool.query<T>(text, values));
  }
}
