/** What makes the tables, one step a version of them: a step that has been released is never changed, the next one is added. */
export const migrations = [
  `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, last_seq INTEGER NOT NULL) STRICT;
  CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    id INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    answers INTEGER,
    PRIMARY KEY (session_id, id)
  ) STRICT;
  CREATE TABLE tool_conversations (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    tool_name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT,
    error TEXT,
    duration_ms INTEGER,
    timestamp TEXT NOT NULL,
    user_message TEXT NOT NULL,
    message_id INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tool_conversations_of_session ON tool_conversations (session_id);
  CREATE TABLE spawned_tasks (
    tool_conversation_id TEXT PRIMARY KEY REFERENCES tool_conversations (id),
    task_id TEXT NOT NULL
  ) STRICT;
  `,
] as const;
