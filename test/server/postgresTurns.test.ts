import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { migrate } from '../../src/services/postgres/migrate.ts';
import { openPool } from '../../src/services/postgres/openPool.ts';
import { PostgresLeases } from '../../src/services/postgres/PostgresLeases.ts';
import { PostgresSession } from '../../src/services/postgres/PostgresSession.ts';
import { PostgresTurns } from '../../src/services/postgres/PostgresTurns.ts';
import type { WaitingCall } from '../../src/shared/sharing.ts';
import { TestPostgres } from '../support/TestPostgres.ts';

const logger = { warn: () => undefined, error: () => undefined };

describe('the turns of servers that share a database', function () {
  this.timeout(120_000);
  let postgres: TestPostgres;
  let database: string;
  let pool: pg.Pool;
  let session: PostgresSession;
  let turns: PostgresTurns;

  before(async () => {
    postgres = await TestPostgres.start();
  });
  after(async () => await postgres.stop());
  beforeEach(async () => {
    database = await postgres.database();
    pool = await openPool(database, logger);
    await migrate(pool);
    const serverId = 'one';
    session = await PostgresSession.open({ url: database, serverId, logger });
    const leases = new PostgresLeases(session, pool);
    turns = new PostgresTurns({ pool, serverId, leases, cwd: '/workspace', logger });
  });
  afterEach(async () => {
    await turns.stop();
    await session.close();
    await pool.end();
  });

  const call = (id: string): WaitingCall => ({ id, method: 'task/send', params: {}, caller: 'one' });
  const ended = async (): Promise<number> =>
    (await postgres.query("SELECT 1 FROM lathe_jobs.job WHERE state = 'completed'", database)).length;

  it('give a call its turn that comes right behind the last look of the one before', async () => {
    // The answer to that look takes its time.
    const query = pool.query.bind(pool) as (text: string, values: unknown[]) => Promise<pg.QueryResult>;
    let late: Promise<void> | undefined;
    let looked: () => void = () => undefined;
    const looks = new Promise<void>((resolve) => (looked = resolve));
    pool.query = (async (text: string, values: unknown[]) => {
      const result = await query(text, values);
      if (late && /FROM lathe_calls/.test(text) && text.startsWith('SELECT')) {
        const waited = late;
        late = undefined;
        looked();
        await waited;
      }
      return result;
    }) as unknown as typeof pool.query;
    let arrive: () => void = () => undefined;
    const answered: string[][] = [];
    await turns.start(async (taskId) => {
      const ids = (await turns.calls(taskId)).map(({ id }) => id);
      answered.push(ids);
      await turns.forget(taskId, ids);
      if (answered.length === 1) late = new Promise((resolve) => (arrive = resolve));
    });
    await turns.add('task', call('first'));
    await looks;
    await turns.add('task', call('second'));
    // Its own job is let go while the first one's is not done with, or waits for that.
    await until(async () => (await ended()) >= 2 || answered.length === 2);
    arrive();
    await until(() => answered.length === 2);
    assert.deepEqual(answered, [['first'], ['second']]);
    await until(async () => !(await turns.has('task')));
  });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    if (await condition()) return;
    await delay(20);
  }
  throw new Error('it never came to that');
}
