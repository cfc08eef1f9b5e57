import { DatabaseSync } from 'node:sqlite';
import type {
  ChatDatabase,
  MessageRow,
  SessionChanges,
  SessionRows,
  ToolConversationRow,
} from '../../shared/chat.ts';
import { migrations } from './sqliteMigrations.ts';

/** Milliseconds that another process's write is waited for. */
const BUSY = 10_000;

/** The rows in one SQLite file, with a write-ahead log: readers do not wait for the writer. */
export class SqliteChatDatabase implements ChatDatabase {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepared>;

  /** @throws when the file cannot be written, is no database, or was written by a newer version */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: BUSY });
    try {
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      this.#migrate();
      this.#statements = prepared(this.#database);
    } catch (error) {
      this.#database.close();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${path}: ${reason}`, { cause: error });
    }
  }

  write(changes: readonly SessionChanges[]): Promise<void> {
    const { session, putSession, putMessage, putTool, putSpawned } = this.#statements;
    return this.#transaction(() => {
      for (const { sessionId, lastSeq, messages, toolConversations, spawnedTasks } of changes) {
        if (lastSeq < Number(session.get(sessionId)?.last_seq ?? 0)) continue;
        putSession.run(sessionId, lastSeq);
        for (const row of messages)
          putMessage.run(row.session_id, row.id, row.role, row.content, row.created_at, row.answers);
        for (const row of toolConversations)
          putTool.run(
            ...[row.id, row.session_id, row.tool_name, row.arguments, row.result, row.error],
            ...[row.duration_ms, row.timestamp, row.user_message, row.message_id],
          );
        for (const { toolConversationId, taskId } of spawnedTasks) putSpawned.run(toolConversationId, taskId);
      }
    });
  }

  read(sessionId: string): Promise<SessionRows | undefined> {
    return inPromise(() => {
      const { session, messages, tools, spawned } = this.#statements;
      const known = session.get(sessionId);
      if (known === undefined) return undefined;
      return {
        lastSeq: Number(known.last_seq),
        messages: messages.all(sessionId).map((row) => ({ ...row }) as unknown as MessageRow),
        toolConversations: tools.all(sessionId).map((row) => ({ ...row }) as unknown as ToolConversationRow),
        spawnedTasks: spawned.all(sessionId).map((row) => ({
          toolConversationId: String(row.tool_conversation_id),
          taskId: String(row.task_id),
        })),
      };
    });
  }

  clear(): Promise<void> {
    return this.#transaction(() =>
      this.#database.exec(
        'DELETE FROM spawned_tasks; DELETE FROM tool_conversations; DELETE FROM messages; DELETE FROM sessions;',
      ),
    );
  }

  close(): Promise<void> {
    return inPromise(() => this.#database.close());
  }

  #migrate(): void {
    const version = Number(this.#database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > migrations.length)
      throw new Error(`the database was written by a newer Lathe (version ${version} of its tables)`);
    for (const [index, statements] of migrations.entries()) {
      if (index < version) continue;
      this.#database.exec(`BEGIN IMMEDIATE; ${statements} PRAGMA user_version = ${index + 1}; COMMIT;`);
    }
  }

  #transaction(work: () => void): Promise<void> {
    return inPromise(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }
}

function inPromise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

function prepared(database: DatabaseSync) {
  return {
    session: database.prepare('SELECT last_seq FROM sessions WHERE id = ?'),
    messages: database.prepare(
      'SELECT session_id, id, role, content, created_at, answers FROM messages WHERE session_id = ? ORDER BY id',
    ),
    tools: database.prepare('SELECT * FROM tool_conversations WHERE session_id = ? ORDER BY rowid'),
    spawned: database.prepare(
      'SELECT s.* FROM spawned_tasks s JOIN tool_conversations t ON t.id = s.tool_conversation_id WHERE t.session_id = ?',
    ),
    putSession: database.prepare(
      'INSERT INTO sessions (id, last_seq) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq',
    ),
    putMessage: database.prepare(
      'INSERT INTO messages (session_id, id, role, content, created_at, answers) VALUES (?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT (session_id, id) DO UPDATE SET content = excluded.content, created_at = excluded.created_at',
    ),
    putTool: database.prepare(
      'INSERT INTO tool_conversations (id, session_id, tool_name, arguments, result, error, duration_ms, timestamp, user_message, message_id) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT (id) DO UPDATE SET result = excluded.result, error = excluded.error, duration_ms = excluded.duration_ms',
    ),
    putSpawned: database.prepare(
      'INSERT INTO spawned_tasks (tool_conversation_id, task_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ),
  };
}
