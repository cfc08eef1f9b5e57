import { version } from '../../package.json';
import { createInterface } from 'node:readline/promises';
import { ProtocolError } from '../core/Dispatcher.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { taskNamed } from '../frontends/cli/listTasks.ts';
import { run } from '../frontends/cli/run.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { translate } from '../shared/strings.ts';
import { headlessSettings } from './headlessSettings.ts';
import { newAgent } from './newAgent.ts';
import { startHub } from './startHub.ts';
import { dataFolder, locale, status, stopNow, stopped, write } from './surroundings.ts';

/** Of a terminal that does not say. */
const COLUMNS = 80;
/** Milliseconds that MCP servers are waited for. */
const LONGEST_START = 10_000;

/** `lathe run`: one task in the current folder. @returns the exit code */
export async function runTask(line: Extract<CommandLine, { command: 'run' }>): Promise<number> {
  const { automatic, mode, model, resume, trust, maxTurns, maxCost, json } = line;
  // With a provider the name is that of its model, without one that of a profile.
  const named = model !== undefined && process.env.LATHE_PROVIDER ? { LATHE_MODEL: model } : {};
  const fixedProfile = profileFromEnvironment({ ...process.env, ...named });
  const profile = fixedProfile ? undefined : model;
  const home = await dataFolder();
  const settings = headlessSettings(home, process.env, { maxTurns });
  const hub = await startHub(home, process.cwd());
  const host = await NodeHost.create(process.env, home, hub, version);
  const attended = process.stdin.isTTY && process.stderr.isTTY;
  const cwd = (): string => process.cwd();
  const agent = newAgent({ host, home, cwd, attended, automatic, fixedProfile, trust, settings });
  const terminal = attended ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  terminal?.on('SIGINT', stopNow);
  try {
    const found =
      resume === undefined
        ? undefined
        : taskNamed(await agent.dispatcher.call('task/list', { cwd: cwd() }), resume);
    const begin = found ? { taskId: found.id, text: line.task } : { text: line.task ?? '', mode, profile };
    // The first request names what the servers offer; one that is slow is called when it is there.
    await hub.settled(AbortSignal.any([stopped, AbortSignal.timeout(LONGEST_START)])).catch(onlyAborts);
    const { stderr } = process;
    const drawn = stderr.isTTY && process.env.TERM !== 'dumb' && !json;
    const screen = drawn ? { write: status, columns: () => stderr.columns || COLUMNS } : undefined;
    return await run({
      screen,
      ...{ agent, begin, json, maxCost, locale, output: write, status, terminal },
      signal: stopped,
    });
  } catch (error) {
    // Nothing was begun: a mode that there is none of, no model, …
    if (!(error instanceof ProtocolError)) throw error;
    status(`${translate(locale, error.words)}\n`);
    return 1;
  } finally {
    terminal?.close();
    await agent.dispose();
    await host.dispose();
  }
}

function onlyAborts(error: unknown): void {
  if (!(error instanceof DOMException)) throw error;
}
