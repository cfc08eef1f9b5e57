import { version } from '../../package.json';
import { serveStdio } from '../frontends/acp/serveStdio.ts';
import { profileFromEnvironment, type CommandLine } from '../frontends/cli/commandLine.ts';
import { ControlSequenceFilter } from '../shared/ControlSequenceFilter.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { DEFAULT_MODE } from '../shared/modes.ts';
import { newAgent } from './newAgent.ts';
import { startHub } from './startHub.ts';
import { dataFolder, locale, logger, stopped } from './surroundings.ts';

/** `lathe acp`: the agent for an editor, over standard input and output, until either ends. @returns the exit code */
export async function serveEditor({
  automatic,
  mode,
  trust,
}: Extract<CommandLine, { command: 'acp' }>): Promise<number> {
  const fixedProfile = profileFromEnvironment(process.env);
  const home = await dataFolder();
  const host = await NodeHost.create(process.env, home, undefined, version);
  try {
    await serveStdio({
      createHost: () => host.forSession(),
      createSessionHost: async (cwd, servers) => host.forSession(await startHub(home, cwd, servers)),
      createAgent: (machine, cwd) =>
        newAgent({
          ...{ host: machine, home, cwd: () => cwd, attended: true, automatic, fixedProfile, trust },
          answersInText: true,
        }),
      plainText: (output) => new ControlSequenceFilter().push(output),
      mode: mode ?? DEFAULT_MODE,
      locale,
      logger,
      version,
      signal: stopped,
    });
  } finally {
    await host.dispose();
  }
  return 0;
}
