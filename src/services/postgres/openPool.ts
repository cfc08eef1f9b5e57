import pg from 'pg';

/** Connections of one server, beside the one that it holds for its leases and notifications. */
const CONNECTIONS = 8;
const CONNECT_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 30_000;

/** What is logged of connections that break while nobody uses them. */
export interface PoolLogger {
  warn: (text: string) => void;
}

/** Connections to a database of PostgreSQL that has been asked once. @throws the first error, as of a wrong password */
export async function openPool(url: string, logger: PoolLogger): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: STATEMENT_TIMEOUT,
    keepAlive: true,
    application_name: 'lathe',
  });
  pool.on('error', (error) => logger.warn(`a connection to the database broke: ${error.message}`));
  try {
    await pool.query('SELECT 1');
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Where the database is, without user and password. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const { protocol, host, pathname, searchParams } = new URL(url);
  return `${protocol}//${host || (searchParams.get('host') ?? 'localhost')}${pathname}`;
}
