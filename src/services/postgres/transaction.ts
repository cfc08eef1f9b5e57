import type pg from 'pg';

/** Does something in one transaction: all of it, or nothing. `how`: its mode, as BEGIN takes it. */
export async function transaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  how = '',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Between two statements nobody else hears that the connection broke; the next statement says it.
  const breaks = (error: Error): void => void (broken = error);
  client.on('error', breaks);
  try {
    await client.query(`BEGIN ${how}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    broken ??= error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', breaks);
    // A connection that failed goes, and what was begun on it.
    client.release(broken);
  }
}
