#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { version } from '../package.json';
import { Agent, type AgentOptions } from './core/Agent.ts';
import {
  parseCommandLine,
  profileFromEnvironment,
  usage,
  UsageError,
  type CommandLine,
} from './frontends/cli/commandLine.ts';
import { run } from './frontends/cli/run.ts';
import { statusLogger } from './frontends/cli/statusLogger.ts';
import { ControlSequenceFilter } from './hosts/ControlSequenceFilter.ts';
import { openDataFolder } from './hosts/node/dataFolder.ts';
import { NodeHost } from './hosts/node/NodeHost.ts';
import { findServices } from './providers/findServices.ts';
import { createProvider } from './providers/registry.ts';
import { DEFAULT_MODE } from './shared/modes.ts';
import { editorSettingsSchema } from './shared/settings.ts';
import { localeOf } from './shared/strings.ts';

const write = (text: string): void => void process.stdout.write(text);
const status = (text: string): void => void process.stderr.write(text);

const logger = statusLogger(status, Boolean(process.env.LATHE_DEBUG));
const locale = localeOf(process.env.LC_ALL ?? process.env.LANG ?? 'en');
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

async function main(args: readonly string[]): Promise<number> {
  const commandLine = parseCommandLine(args);
  switch (commandLine.command) {
    case 'help':
      write(usage);
      return 0;
    case 'version':
      write(`${version}\n`);
      return 0;
    case 'acp':
      return await serveEditor(commandLine);
    case 'run':
      return await runTask(commandLine);
  }
}

/** The parts of an agent that every command has. */
function newAgent(
  options: Pick<AgentOptions, 'host' | 'home' | 'cwd' | 'attended' | 'automatic' | 'fixedProfile'>,
): Agent {
  const { LATHE_BROWSER: browser, LATHE_BROWSER_SANDBOX: sandbox } = process.env;
  const settings = editorSettingsSchema.parse({ browser, browserSandbox: sandbox !== 'off' });
  return new Agent({
    createProvider: async (profile, key) =>
      await createProvider(profile, {
        key,
        idleTimeoutMs: settings.idleTimeoutSeconds * 1000,
        retryLimit: settings.retryLimit,
      }),
    findServices,
    editorSettings: () => settings,
    // Starting it in a folder is the person's word for reading there; project files that start things stay off.
    trusted: () => true,
    logger,
    ...options,
  });
}

async function dataFolder(): Promise<string> {
  const { folder, temporary } = await openDataFolder(process.env);
  if (temporary) status(`There is no data folder here: what is done is kept in ${folder}\n`);
  return folder;
}

async function runTask({ task, automatic, mode }: Extract<CommandLine, { command: 'run' }>): Promise<number> {
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
  const host = await NodeHost.create(process.env, home);
  const attended = process.stdin.isTTY && process.stderr.isTTY;
  const agent = newAgent({ host, home, cwd: () => process.cwd(), attended, automatic, fixedProfile });
  // Who read the output has gone (`| head`): there is nobody left to work for.
  process.stdout.on('error', () => stop.abort());
  const terminal = attended ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  terminal?.on('SIGINT', () => stop.abort());
  try {
    return await run({ agent, task, mode, locale, output: write, status, terminal, signal: stop.signal });
  } finally {
    terminal?.close();
    await agent.dispose();
    await host.dispose();
  }
}

async function serveEditor({ automatic, mode }: Extract<CommandLine, { command: 'acp' }>): Promise<number> {
  const { serveStdio } = await import('./frontends/acp/serveStdio.ts');
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
  const host = await NodeHost.create(process.env, home);
  await serveStdio({
    createHost: () => host.forSession(),
    createAgent: (machine, cwd) =>
      newAgent({ host: machine, home, cwd: () => cwd, attended: true, automatic, fixedProfile }),
    plainText: (output) => new ControlSequenceFilter().push(output),
    mode: mode ?? DEFAULT_MODE,
    ...{ locale, logger, version, signal: stop.signal },
  }).finally(async () => await host.dispose());
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) status(`${error.message}\n\n${usage}`);
  else
    status(
      `${error instanceof Error ? (process.env.LATHE_DEBUG ? error.stack : error.message) : String(error)}\n`,
    );
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
