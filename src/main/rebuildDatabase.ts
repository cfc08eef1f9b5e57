import { version } from '../../package.json';
import type { CommandLine } from '../frontends/cli/commandLine.ts';
import { ChatSessions } from '../frontends/server/ChatSessions.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { newAgent } from './newAgent.ts';
import { openChatDatabase } from './openChatDatabase.ts';
import { message, translate } from '../shared/strings.ts';
import { dataFolder, locale, logger, status } from './surroundings.ts';

/** `lathe rebuild`: the tables of the database, made again from the journals. @returns the exit code */
export async function rebuildDatabase(line: Extract<CommandLine, { command: 'rebuild' }>): Promise<number> {
  const home = await dataFolder();
  const database = await openChatDatabase(line.database, home);
  const host = await NodeHost.create(process.env, home, undefined, version);
  const agent = newAgent({ host, home, cwd: () => process.cwd(), attended: false, trust: false });
  const sessions = new ChatSessions({
    agent,
    database,
    logger,
    mode: undefined,
    limits: { sessions: 1, queue: 0 },
  });
  try {
    const count = await sessions.rebuild();
    status(`${translate(locale, message('server.rebuilt', { count }))}\n`);
    return 0;
  } finally {
    await sessions.dispose();
    await agent.dispose();
    await database.close();
    await host.dispose();
  }
}
