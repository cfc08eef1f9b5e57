import type pg from 'pg';
import { withPatience } from './transient.ts';

export interface PostgresPresenceOptions {
  pool: pg.Pool;
  serverId: string;
}

/** Who is there at each server, as rows: those of servers that have ended count for nothing. */
export class PostgresPresence {
  readonly #options: PostgresPresenceOptions;

  constructor(options: PostgresPresenceOptions) {
    this.#options = options;
  }

  /** What is watched here from now on, or no more. */
  async set(sessionId: string, present: boolean): Promise<void> {
    await this.#query(
      present
        ? 'INSERT INTO lathe_presence (server_id, session_id) VALUES ($1, $2) ON CONFLICT DO NOTHING'
        : 'DELETE FROM lathe_presence WHERE server_id = $1 AND session_id = $2',
      [this.#options.serverId, sessionId],
    );
  }

  /** What is watched at the other servers. */
  async elsewhere(): Promise<string[]> {
    const { rows } = await this.#query(
      `SELECT DISTINCT session_id FROM lathe_presence p WHERE server_id <> $1 AND EXISTS (
         SELECT 1 FROM pg_stat_activity a
         WHERE a.datname = current_database() AND a.application_name LIKE 'lathe ' || p.server_id || ' %')`,
      [this.#options.serverId],
    );
    return rows.map(({ session_id }) => session_id);
  }

  /** Forgets what was watched here. */
  async leave(): Promise<void> {
    await this.#query('DELETE FROM lathe_presence WHERE server_id = $1', [this.#options.serverId]);
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult<{ session_id: string }>> {
    return await withPatience(async () => await this.#options.pool.query(text, values));
  }
}
