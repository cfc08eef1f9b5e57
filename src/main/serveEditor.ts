import { version } from '../../package.json';
import { serveStdio } from '../frontends/acp/serveStdio.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { proxyPlaces } from '../hosts/node/useProxy.ts';
import { dataFolder, locale, logger, stopped } from './surroundings.ts';

/** `lathe acp`: the agent for an editor, over standard input and output, until either ends. @returns the exit code */
export async function serveEditor(line: Extract<CommandLine, { command: 'acp' }>): Promise<number> {
  proxyPlaces(process.env, locale);
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
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
