import type pg from 'pg';
import { migrations } from './migrations.ts';
import { transaction } from './transaction.ts';

/** Of all servers at one database one makes the tables, while the others wait: an arbitrary number, the same for all. */
const MIGRATION_LOCK = '4994273615870243';

/** Brings the tables to the newest version, all steps or none. @throws when a newer Lathe made them */
export async function migrate(pool: pg.Pool): Promise<void> {
  await alone(pool, async (client) => {
    await client.query('CREATE TABLE IF NOT EXISTS lathe_migrations (version INTEGER PRIMARY KEY)');
    const { rows } = await client.query<{ version: number }>(
      'SELECT coalesce(max(version), 0) AS version FROM lathe_migrations',
    );
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length)
      throw new Error(`the database was written by a newer Lathe (version ${version} of its tables)`);
    for (const [index, statements] of migrations.entries()) {
      if (index < version) continue;
      await client.query(statements);
      await client.query('INSERT INTO lathe_migrations VALUES ($1)', [index + 1]);
    }
  });
}

/** Does something in a transaction while no other server at the database does such. */
export async function alone(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await work(client);
  });
}
