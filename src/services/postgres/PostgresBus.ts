import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { PostgresSession } from './PostgresSession.ts';
import { withPatience } from './transient.ts';

const CHANNEL = 'lathe';
/** Bytes of a notification: PostgreSQL takes less than 8000. What is longer goes through a table. */
const LONGEST = 7900;
/** Bulletins that go out in one statement. */
const BATCH = 500;

export interface PostgresBusOptions {
  session: PostgresSession;
  pool: pg.Pool;
  logger: { error: (text: string, error: unknown) => void };
}

interface Envelope {
  from: string;
  /** Two that are equal would come as one. */
  number: number;
  body?: unknown;
  /** Where the body is, when it is long. */
  id?: string;
}

/** What servers tell each other, by NOTIFY: each hears the others' bulletins in their order, not its own. */
export class PostgresBus {
  readonly #options: PostgresBusOptions;
  readonly #listeners = new Set<(from: string, body: unknown) => void | Promise<void>>();
  #number = 0;
  #waiting: unknown[] = [];
  #sending: Promise<void> | undefined;
  #hearing: Promise<void> = Promise.resolve();

  constructor(options: PostgresBusOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.session.listen(CHANNEL, (payload) => {
      this.#hearing = this.#hearing
        .then(async () => await this.#hear(payload))
        .catch((error: unknown) => this.#options.logger.error('a notification was not understood', error));
    });
  }

  /** The next bulletin is heard when the promise that a listener gives has resolved. */
  onBulletin(listener: (from: string, body: unknown) => void | Promise<void>): void {
    this.#listeners.add(listener);
  }

  /** Tells the other servers, behind what was told before. */
  publish(body: unknown): void {
    this.#waiting.push(body);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /** Resolves when everything has been told, or could not be. */
  async settled(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const bodies = this.#waiting.splice(0, BATCH);
      try {
        const payloads = await Promise.all(bodies.map(async (body) => await this.#payload(body)));
        await withPatience(
          async () =>
            await this.#options.pool.query(
              `SELECT pg_notify($1, payload) FROM
                 (SELECT payload FROM unnest($2::text[]) WITH ORDINALITY AS one (payload, number) ORDER BY number) AS ordered`,
              [CHANNEL, payloads],
            ),
        );
      } catch (error) {
        // The others read the journals again when they hear of the task next.
        this.#options.logger.error('other servers were not told', error);
      }
    }
  }

  async #payload(body: unknown): Promise<string> {
    const envelope: Envelope = { from: this.#options.session.serverId, number: this.#number++ };
    const payload = JSON.stringify({ ...envelope, body });
    if (Buffer.byteLength(payload) <= LONGEST) return payload;
    const id = randomUUID();
    await withPatience(
      async () =>
        await this.#options.pool.query(
          `WITH old AS (DELETE FROM lathe_bulletins WHERE created_at < now() - interval '10 minutes')
           INSERT INTO lathe_bulletins (id, body) VALUES ($1, $2)`,
          [id, JSON.stringify(body)],
        ),
    );
    return JSON.stringify({ ...envelope, id });
  }

  async #hear(payload: string): Promise<void> {
    const { from, body, id } = JSON.parse(payload) as Envelope;
    if (from === this.#options.session.serverId) return;
    const whole = id === undefined ? body : await this.#fetch(id);
    if (whole === undefined) return;
    for (const listener of this.#listeners) await listener(from, whole);
  }

  async #fetch(id: string): Promise<unknown> {
    const { rows } = await withPatience(
      async () =>
        await this.#options.pool.query<{ body: string }>('SELECT body FROM lathe_bulletins WHERE id = $1', [
          id,
        ]),
    );
    return rows[0] && (JSON.parse(rows[0].body) as unknown);
  }
}
