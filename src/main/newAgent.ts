import { Agent, type AgentOptions } from '../core/Agent.ts';
import { findServices } from '../providers/findServices.ts';
import { createProvider } from '../providers/registry.ts';
import { editorSettingsSchema } from '../shared/settings.ts';
import { logger } from './surroundings.ts';

/** An agent with the parts that every command has. */
export function newAgent({
  trust,
  ...options
}: Pick<AgentOptions, 'host' | 'home' | 'cwd' | 'attended' | 'automatic' | 'fixedProfile'> & {
  /** --trust: files of the folder may define modes and commands. */
  trust: boolean;
}): Agent {
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
    trustsProject: () => trust,
    logger,
    ...options,
  });
}
