import { randomBytes } from 'node:crypto';
import type { Agent, AgentOptions } from '../core/Agent.ts';
import type { Presence } from '../frontends/server/Presence.ts';
import type { ServedAgent } from '../frontends/server/ServedAgent.ts';
import { SharedAgent } from '../frontends/server/sharing/SharedAgent.ts';
import { PostgresChatDatabase } from '../services/chatDatabase/PostgresChatDatabase.ts';
import { PostgresBus } from '../services/postgres/PostgresBus.ts';
import { PostgresLeases } from '../services/postgres/PostgresLeases.ts';
import { PostgresPresence } from '../services/postgres/PostgresPresence.ts';
import { PostgresSession } from '../services/postgres/PostgresSession.ts';
import { PostgresTurns } from '../services/postgres/PostgresTurns.ts';
import type { ChatDatabase } from '../shared/chat.ts';
import { openPostgres } from './openPostgres.ts';
import { logger } from './surroundings.ts';

/** What stands behind a server: its rows, who may write, and where turns run. */
export interface Backing {
  database: ChatDatabase;
  /** Who may write a task; the files beside the journals without it. */
  leases?: NonNullable<AgentOptions['leases']>;
  /** What the server's clients talk to. */
  serve: (agent: Agent, presence: Presence) => Promise<ServedAgent>;
  /** Before the agent ends: what is broken off from now on goes on elsewhere, where there is an elsewhere. */
  leave: () => void;
  /** When the agent and the server have ended. */
  close: () => Promise<void>;
}

/** Joins the servers at a database of PostgreSQL: they have one workspace and one data folder, on a volume that all of them see. */
export async function joinServers(url: string, cwd: string): Promise<Backing> {
  const serverId = randomBytes(6).toString('hex');
  const pool = await openPostgres(url);
  const session = await PostgresSession.open({ url, serverId, logger }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const leases = new PostgresLeases(session, pool);
  const bus = new PostgresBus({ session, pool, logger });
  const turns = new PostgresTurns({ pool, serverId, leases, cwd, logger });
  const shared = new PostgresPresence({ pool, serverId });
  const database = new PostgresChatDatabase(pool);
  let served: SharedAgent | undefined;
  const close = async (): Promise<void> => {
    served?.dispose();
    await turns.stop();
    await shared.leave();
    await bus.settled();
    await session.close();
    await database.close();
  };
  return {
    database,
    leases,
    serve: async (agent, presence) => {
      const agents = new SharedAgent({
        ...{ serverId, agent, presence, bus, turns, shared, logger },
        servers: leases,
      });
      served = agents;
      session.onConnected(() => {
        agents
          .lookAround()
          .catch((error: unknown) => logger.error('what happened at other servers is not known', error));
      });
      try {
        await bus.start();
        await turns.start(agents.run);
      } catch (error) {
        await close();
        throw error;
      }
      return agents;
    },
    leave: () => {
      turns.pause();
      served?.stop();
    },
    close,
  };
}
