import type { Backing } from './joinServers.ts';
import { openChatDatabase } from './openChatDatabase.ts';
import { isPostgres } from './openPostgres.ts';

/** What stands behind a server: with PostgreSQL it is one of several, else it is alone. @throws where the database cannot be opened */
export async function openBacking(named: string | undefined, home: string, cwd: string): Promise<Backing> {
  if (named !== undefined && isPostgres(named)) {
    const { joinServers } = await import('./joinServers.ts');
    return await joinServers(named, cwd);
  }
  const database = await openChatDatabase(named, home);
  return {
    database,
    serve: (agent) => Promise.resolve(agent),
    leave: () => undefined,
    close: async () => await database.close(),
  };
}
