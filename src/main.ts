#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Agent } from './core/Agent.ts';
import type { Logger } from './core/Logger.ts';
import {
  parseCommandLine,
  profileFromEnvironment,
  usage,
  UsageError,
  type CommandLine,
} from './frontends/cli/commandLine.ts';
import { run } from './frontends/cli/run.ts';
import { openDataFolder } from './hosts/node/dataFolder.ts';
import { NodeHost } from './hosts/node/NodeHost.ts';
import { findServices } from './providers/findServices.ts';
import { createProvider } from './providers/registry.ts';
import { editorSettingsSchema } from './shared/settings.ts';
import { localeOf, type Locale } from './shared/strings.ts';

const write = (text: string): void => void process.stdout.write(text);
const status = (text: string): void => void process.stderr.write(text);

const locale = (): Locale => localeOf(process.env.LC_ALL ?? process.env.LANG ?? 'en');

const logger: Logger = {
  info: () => undefined,
  warn: (text) => status(`${text}\n`),
  error: (text, error) =>
    status(`${text}${error instanceof Error && process.env.LATHE_DEBUG ? `\n${error.stack ?? ''}` : ''}\n`),
};

async function main(args: readonly string[]): Promise<number> {
  const commandLine = parseCommandLine(args);
  switch (commandLine.command) {
    case 'help':
      write(usage);
      return 0;
    case 'version': {
      const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
        version: string;
      };
      write(`${version}\n`);
      return 0;
    }
    case 'run':
      return await runTask(commandLine);
    case 'explain':
    case 'explain-rows': {
      const { explain } = await import('./frontends/cli/explain.ts');
      await explain(commandLine, { locale: locale(), input: process.stdin, output: write });
      return 0;
    }
  }
}

async function runTask({ task, automatic, mode }: Extract<CommandLine, { command: 'run' }>): Promise<number> {
  const fixedProfile = profileFromEnvironment(process.env);
  const { folder: home, temporary } = await openDataFolder(process.env);
  if (temporary) status(`There is no data folder here: this task is kept in ${home}\n`);
  const host = await NodeHost.create(process.env, home);
  const { LATHE_BROWSER: browser, LATHE_BROWSER_SANDBOX: sandbox } = process.env;
  const settings = editorSettingsSchema.parse({ browser, browserSandbox: sandbox !== 'off' });
  const attended = process.stdin.isTTY && process.stderr.isTTY;
  const agent = new Agent({
    host,
    home,
    createProvider: async (profile, key) =>
      await createProvider(profile, {
        key,
        idleTimeoutMs: settings.idleTimeoutSeconds * 1000,
        retryLimit: settings.retryLimit,
      }),
    findServices,
    editorSettings: () => settings,
    cwd: () => process.cwd(),
    // Starting it in a folder is the person's word for reading there; project files that start things stay off.
    trusted: () => true,
    attended,
    logger,
    ...(fixedProfile ? { fixedProfile } : {}),
    automatic,
  });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  // Who read the output has gone (`| head`): there is nobody left to work for.
  process.stdout.on('error', () => stop.abort());
  const terminal = attended ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  terminal?.on('SIGINT', () => stop.abort());
  try {
    return await run({
      agent,
      task,
      mode,
      locale: locale(),
      output: write,
      status,
      terminal,
      signal: stop.signal,
    });
  } finally {
    terminal?.close();
    await agent.dispose();
    await host.dispose();
  }
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
