import { license, version } from '../../package.json';
import { randomBytes } from 'node:crypto';
import { MentionSuggestions } from '../core/context/mentions/MentionSuggestions.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { isLoopback } from '../frontends/server/guard.ts';
import { HttpServer } from '../frontends/server/HttpServer.ts';
import { Presence } from '../frontends/server/Presence.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { headlessSettings } from './headlessSettings.ts';
import { newAgent } from './newAgent.ts';
import { openBacking } from './openBacking.ts';
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
  const cwd = process.cwd();
  const backing = await openBacking(line.database, home, cwd);
  const hub = await startHub(home, cwd);
  const host = await NodeHost.create(process.env, home, hub, version);
  const presence = new Presence();
  const agent = newAgent({
    ...{ host, home, automatic, fixedProfile, trust, settings },
    cwd: () => cwd,
    attended: (taskId) => presence.isAttended(taskId),
    answersInText: true,
    ...(backing.leases ? { leases: backing.leases } : {}),
  });
  const folder = pageFolder();
  const suggestions = new MentionSuggestions(host, cwd, stopped);
  const server = new HttpServer({
    agent: await backing.serve(agent, presence),
    database: backing.database,
    presence,
    logger,
    locale,
    version,
    workspace: cwd,
    mode,
    host: address,
    names,
    token,
    ...(folder === undefined ? {} : { page: { folder, home, license, suggestions } }),
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
    backing.leave();
    await agent.dispose();
    await server.close();
    await backing.close();
    await host.dispose();
  }
  return 0;
}

async function untilStopped(): Promise<void> {
  if (stopped.aborted) return;
  await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
}
