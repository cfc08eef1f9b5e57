import type pg from 'pg';
import { message, translate } from '../shared/strings.ts';
import { locale, logger } from './surroundings.ts';

/** Whether `--database` names PostgreSQL. */
export function isPostgres(named: string): boolean {
  return /^postgres(ql)?:/.test(named);
}

/** Connections to the database of this address, whose tables are there and of this version. @throws an error that says what is wrong */
export async function openPostgres(url: string): Promise<pg.Pool> {
  const [{ openPool, addressOf }, { migrate }] = await Promise.all([
    import('../services/postgres/openPool.ts'),
    import('../services/postgres/migrate.ts'),
  ]);
  try {
    const pool = await openPool(url, logger);
    try {
      await migrate(pool);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return pool;
  } catch (error) {
    throw new Error(
      translate(locale, message('server.noDatabase', { address: addressOf(url), reason: reasonOf(error) })),
      { cause: error },
    );
  }
}

/** A name with several addresses fails with several errors, and no words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
