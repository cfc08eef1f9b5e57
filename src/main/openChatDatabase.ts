import { join } from 'node:path';
import { UsageError } from '../frontends/cli/commandLine.ts';
import type { ChatDatabase } from '../shared/chat.ts';
import { isPostgres, openPostgres } from './openPostgres.ts';

/**
 * The database of `--database`: PostgreSQL, or a file of SQLite, by default in the data folder. @throws where it cannot be opened, or this
 * Node has no SQLite
 */
export async function openChatDatabase(named: string | undefined, home: string): Promise<ChatDatabase> {
  if (named !== undefined && isPostgres(named)) {
    const pool = await openPostgres(named);
    const { PostgresChatDatabase } = await import('../services/chatDatabase/PostgresChatDatabase.ts');
    return new PostgresChatDatabase(pool);
  }
  return await openSqlite(named?.replace(/^sqlite:(\/\/)?/, '') ?? join(home, 'chat.db'));
}

/** Loaded when it is wanted: where Node has no SQLite, everything else works. */
async function openSqlite(path: string): Promise<ChatDatabase> {
  try {
    const { SqliteChatDatabase } = await import('../services/chatDatabase/SqliteChatDatabase.ts');
    return new SqliteChatDatabase(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_BUILTIN_MODULE'))
      throw error;
    throw new UsageError(`serve needs Node 22.13 or later for SQLite; this is ${process.version}.`);
  }
}
