import { version } from '../../package.json';
import { createInterface } from 'node:readline/promises';
import { ProtocolError } from '../core/Dispatcher.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { run } from '../frontends/cli/run.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { translate } from '../shared/strings.ts';
import { newAgent } from './newAgent.ts';
import { startHub } from './startHub.ts';
import { dataFolder, locale, status, stopNow, stopped, write } from './surroundings.ts';

/** Milliseconds that MCP servers are waited for. */
const LONGEST_START = 10_000;

/** `lathe run`: one task in the current folder. @returns the exit code */
export async function runTask({
  task,
  automatic,
  mode,
  trust,
}: Extract<CommandLine, { command: 'run' }>): Promise<number> {
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
  const hub = await startHub(home, process.cwd());
  const host = await NodeHost.create(process.env, home, hub, version);
  const attended = process.stdin.isTTY && process.stderr.isTTY;
  const agent = newAgent({ host, home, cwd: () => process.cwd(), attended, automatic, fixedProfile, trust });
  const terminal = attended ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  terminal?.on('SIGINT', stopNow);
  try {
    // The first request names what the servers offer; one that is slow is called when it is there.
    await hub.settled(AbortSignal.any([stopped, AbortSignal.timeout(LONGEST_START)])).catch(onlyAborts);
    return await run({ agent, task, mode, locale, output: write, status, terminal, signal: stopped });
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
