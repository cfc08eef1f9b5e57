import type pg from 'pg';
import type {
  ChatDatabase,
  MessageRow,
  SessionChanges,
  SessionRows,
  ToolConversationRow,
} from '../../shared/chat.ts';
import { transaction } from '../postgres/transaction.ts';
import { withPatience } from '../postgres/transient.ts';

/** The rows in PostgreSQL. While the database restarts, calls wait for it a while; what was not written comes again from the journals. */
export class PostgresChatDatabase implements ChatDatabase {
  readonly #pool: pg.Pool;

  /** The tables must be there (migrate). The pool is this database's: it ends with it. */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async write(changes: readonly SessionChanges[]): Promise<void> {
    if (changes.length > 0) await this.#transaction(async (client) => await write(client, changes));
  }

  async read(sessionId: string): Promise<SessionRows | undefined> {
    return await this.#transaction(
      async (client) => await read(client, sessionId),
      'ISOLATION LEVEL REPEATABLE READ',
    );
  }

  async clear(): Promise<void> {
    await this.#transaction(async (client) => {
      await client.query('TRUNCATE spawned_tasks, tool_conversations, messages, sessions');
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #transaction<T>(work: (client: pg.PoolClient) => Promise<T>, how?: string): Promise<T> {
    return await withPatience(async () => await transaction(this.#pool, work, how));
  }
}

async function write(client: pg.PoolClient, changes: readonly SessionChanges[]): Promise<void> {
  // In one order for every server: those that write the same sessions wait for each other, and never both.
  const ids = [...new Set(changes.map(({ sessionId }) => sessionId))].sort();
  await client.query(
    'INSERT INTO sessions (id, last_seq) SELECT id, 0 FROM unnest($1::text[]) AS id ORDER BY id ON CONFLICT DO NOTHING',
    [ids],
  );
  const { rows: known } = await client.query<{ id: string; last_seq: number }>(
    'SELECT id, last_seq FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE',
    [ids],
  );
  const lastSeqs = new Map(known.map(({ id, last_seq }) => [id, last_seq]));
  const messages = new Map<string, MessageRow>();
  const tools = new Map<string, ToolConversationRow>();
  const spawned = new Map<string, string>();
  for (const { sessionId, lastSeq, ...rows } of changes) {
    // Another server is ahead: it has written these as well.
    if (lastSeq < (lastSeqs.get(sessionId) ?? 0)) continue;
    lastSeqs.set(sessionId, lastSeq);
    for (const row of rows.messages) messages.set(`${row.session_id} ${row.id}`, row);
    for (const row of rows.toolConversations) tools.set(row.id, row);
    for (const { toolConversationId, taskId } of rows.spawnedTasks) spawned.set(toolConversationId, taskId);
  }
  await client.query(
    `INSERT INTO messages (session_id, id, role, content, created_at, answers)
     SELECT session_id, id, role, content, created_at, answers FROM jsonb_to_recordset($1) AS rows
       (session_id text, id integer, role text, content text, created_at text, answers integer)
     ON CONFLICT (session_id, id) DO UPDATE SET content = excluded.content, created_at = excluded.created_at`,
    [json([...messages.values()])],
  );
  await client.query(
    `INSERT INTO tool_conversations
       (id, session_id, tool_name, arguments, result, error, duration_ms, timestamp, user_message, message_id)
     SELECT id, session_id, tool_name, arguments, result, error, duration_ms, timestamp, user_message, message_id
       FROM ROWS FROM (jsonb_to_recordset($1) AS
       (id text, session_id text, tool_name text, arguments text, result text, error text, duration_ms bigint,
        timestamp text, user_message text, message_id integer)) WITH ORDINALITY AS rows
       (id, session_id, tool_name, arguments, result, error, duration_ms, timestamp, user_message, message_id, number)
       ORDER BY number
     ON CONFLICT (id) DO UPDATE
       SET result = excluded.result, error = excluded.error, duration_ms = excluded.duration_ms`,
    [json([...tools.values()])],
  );
  await client.query(
    `INSERT INTO spawned_tasks (tool_conversation_id, task_id)
     SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
    [[...spawned.keys()], [...spawned.values()]],
  );
  await client.query(
    'UPDATE sessions SET last_seq = seen.last_seq FROM unnest($1::text[], $2::integer[]) AS seen (id, last_seq) WHERE sessions.id = seen.id',
    [[...lastSeqs.keys()], [...lastSeqs.values()]],
  );
}

async function read(client: pg.PoolClient, sessionId: string): Promise<SessionRows | undefined> {
  const { rows } = await client.query<{ last_seq: number }>('SELECT last_seq FROM sessions WHERE id = $1', [
    sessionId,
  ]);
  const [session] = rows;
  if (!session) return undefined;
  const messages = await client.query<MessageRow>(
    'SELECT session_id, id, role, content, created_at, answers FROM messages WHERE session_id = $1 ORDER BY id',
    [sessionId],
  );
  const tools = await client.query<Omit<ToolConversationRow, 'duration_ms'> & { duration_ms: string | null }>(
    `SELECT id, session_id, tool_name, arguments, result, error, duration_ms, timestamp, user_message, message_id
     FROM tool_conversations WHERE session_id = $1 ORDER BY position`,
    [sessionId],
  );
  const spawned = await client.query<SessionRows['spawnedTasks'][number]>(
    `SELECT s.tool_conversation_id AS "toolConversationId", s.task_id AS "taskId" FROM spawned_tasks s
     JOIN tool_conversations t ON t.id = s.tool_conversation_id WHERE t.session_id = $1 ORDER BY t.position`,
    [sessionId],
  );
  return {
    lastSeq: session.last_seq,
    messages: messages.rows,
    // Numbers that may be larger than 32 bits come as text.
    toolConversations: tools.rows.map((row) => ({
      ...row,
      duration_ms: row.duration_ms === null ? null : Number(row.duration_ms),
    })),
    spawnedTasks: spawned.rows,
  };
}

/** Rows as JSON. PostgreSQL's text holds everything but U+0000 and halves of surrogates: there stands the sign for what cannot be shown. */
function json(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll('\u0000', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd')
      : value,
  );
}
