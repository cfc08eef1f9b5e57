import { version } from '../../package.json';
import { AcpSessions } from '../frontends/acp/AcpSessions.ts';
import type { Connected } from '../frontends/acp/serve.ts';
import type { CommandLine, profileFromEnvironment } from '../frontends/cli/commandLine.ts';
import { NodeHost } from '../hosts/node/NodeHost.ts';
import { ControlSequenceFilter } from '../shared/ControlSequenceFilter.ts';
import { DEFAULT_MODE } from '../shared/modes.ts';
import { headlessSettings } from './headlessSettings.ts';
import { newAgent } from './newAgent.ts';
import { startHub } from './startHub.ts';
import { locale, logger } from './surroundings.ts';

/** The sessions of an editor's connection, on this machine. Disposing of them ends all that was started for them. */
export async function editorSessions({
  line: { automatic, mode, trust },
  home,
  fixedProfile,
  connected,
}: {
  line: Extract<CommandLine, { command: 'acp' }>;
  /** The data folder. */
  home: string;
  fixedProfile: ReturnType<typeof profileFromEnvironment>;
  connected: Connected;
}): Promise<AcpSessions> {
  const settings = headlessSettings(home, process.env, {});
  const host = await NodeHost.create(process.env, home, undefined, version);
  return new AcpSessions({
    ...connected,
    createHost: () => host.forSession(),
    createSessionHost: async (cwd, servers) => host.forSession(await startHub(home, cwd, servers)),
    createAgent: (machine, cwd) =>
      newAgent({
        ...{ host: machine, home, cwd: () => cwd, attended: true, automatic, fixedProfile, trust, settings },
        answersInText: true,
      }),
    disposeMachine: async () => await host.dispose(),
    plainText: (output) => new ControlSequenceFilter().push(output),
    mode: mode ?? DEFAULT_MODE,
    locale,
    logger,
  });
}
