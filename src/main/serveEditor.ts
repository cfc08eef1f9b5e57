import { existsSync } from 'node:fs';
import { version } from '../../package.json';
import { serveStdio } from '../frontends/acp/serveStdio.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { proxyPlaces } from '../hosts/node/useProxy.ts';
import { dataFolder, locale, logger, settingsFile, stopped } from './surroundings.ts';

/** `lathe acp`: the agent for an editor, over standard input and output, until either ends. @returns the exit code */
export async function serveEditor(line: Extract<CommandLine, { command: 'acp' }>): Promise<number> {
  proxyPlaces(process.env, locale);
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
  // Loaded only where there is something to be wrong: an editor waits for the start.
  if (existsSync(settingsFile(home)))
    (await import('./headlessSettings.ts')).headlessSettings(home, process.env, {});
  await serveStdio({
    open: async (connected) => {
      const { editorSessions } = await import('./editorSessions.ts');
      return await editorSessions({ line, home, fixedProfile, connected });
    },
    locale,
    logger,
    version,
    signal: stopped,
  });
  return 0;
}
