/**
 * What makes the tables of PostgreSQL, one step a version of them: a step that has been released is never changed, the next one is
 * added. Those without `lathe_` are the ones of SQLite.
 */
export const migrations = [
  `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, last_seq INTEGER NOT NULL);
  CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    answers INTEGER,
    PRIMARY KEY (session_id, id)
  );
  CREATE TABLE tool_conversations (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    tool_name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT,
    error TEXT,
    duration_ms BIGINT,
    timestamp TEXT NOT NULL,
    user_message TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    position BIGINT GENERATED ALWAYS AS IDENTITY
  );
  CREATE INDEX tool_conversations_of_session ON tool_conversations (session_id, position);
  CREATE TABLE spawned_tasks (
    tool_conversation_id TEXT PRIMARY KEY REFERENCES tool_conversations (id),
    task_id TEXT NOT NULL
  );
  `,
  `
  -- Calls of the protocol that wait for the server that runs their task.
  CREATE TABLE lathe_calls (
    id TEXT PRIMARY KEY,
    position BIGINT GENERATED ALWAYS AS IDENTITY,
    task_id TEXT NOT NULL,
    method TEXT NOT NULL,
    params TEXT NOT NULL,
    caller TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
  );
  CREATE INDEX lathe_calls_of_task ON lathe_calls (task_id, position);
  -- Tasks that have a turn, or are to have one: the server that runs it and its job, when one does.
  CREATE TABLE lathe_turns (task_id TEXT PRIMARY KEY, server_id TEXT, job_id TEXT);
  -- News for other servers that are too long for a notification.
  CREATE TABLE lathe_bulletins (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
  );
  -- Who is there to answer what asks: the sessions that clients of each server watch; * is a person who sees them all.
  CREATE TABLE lathe_presence (
    server_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    PRIMARY KEY (server_id, session_id)
  );
  `,
] as const;
