import { license, version } from '../../package.json';
import { randomBytes } from 'node:crypto';
import { workspaceFiles } from '../core/context/workspaceFiles.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { isLoopback } from '../frontends/server/guard.ts';
import { HttpServer } from '../frontends/server/HttpServer.ts';
import { Presence } from '../frontends/server/Presence.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { headlessSettings } from './headlessSettings.ts';
import { newAgent } from './newAgent.ts';
import { openChatDatabase } from './openChatDatabase.ts';
import { pageFolder } from './pageFolder.ts';
import { startHub } from './startHub.ts';
import { dataFolder, locale, logger, status, stopped } from './surroundings.ts';

/** `lathe serve`: the current folder over HTTP, until the process is stopped. @returns the exit code */
export async function serveHttp(line: Extract<CommandLine, { command: 'serve' }>): Promise<number> {
  const { automatic, host: address, mode, names, port, trust } = line;
  const fixedProfile = profileFromEnvironment(process.env);
  const token =
    process.env.LATHE_TOKEN ?? (isLoopback(address) ? undefined : randomBytes(24).toString('base64url'));
  const home = await dataFolder();
  const settings = headlessSettings(home, process.env, {});
  const database = await openChatDatabase(line.database, home);
  const cwd = process.cwd();
  const hub = await startHub(home, cwd);
  const host = await NodeHost.create(process.env, home, hub, version);
  const presence = new Presence();
  const agent = newAgent({
    ...{ host, home, automatic, fixedProfile, trust, settings },
    cwd: () => cwd,
    attended: (taskId) => presence.isAttended(taskId),
    answersInText: true,
  });
  const folder = pageFolder();
  const files = async (): Promise<string[]> => await workspaceFiles(host, cwd, stopped);
  const server = new HttpServer({
    agent,
    database,
    presence,
    logger,
    locale,
    version,
    mode,
    host: address,
    names,
    token,
    ...(folder === undefined ? {} : { page: { ...{ folder, home, license, files }, workspace: cwd } }),
  });
  try {
    const bound = await server.listen(port);
    const name = address.includes(':') ? `[${address}]` : address;
    // Behind `#` nothing leaves the browser; one that was given is known to whoever gave it.
    const made = token !== undefined && process.env.LATHE_TOKEN === undefined;
    status(`Lathe serves ${cwd} at http://${name}:${bound}/${made ? `#token=${token}` : ''}\n`);
    if (made) status(`Token for clients: ${token}\n`);
    await untilStopped();
  } finally {
    // First the turns: what they still write reaches the database.
    await agent.dispose();
    await server.close();
    await database.close();
    await host.dispose();
  }
  return 0;
}

async function untilStopped(): Promise<void> {
  if (stopped.aborted) return;
  await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
}
