import { Agent, type AgentOptions } from '../core/Agent.ts';
import { proxyPlaces, useProxy } from '../hosts/node/useProxy.ts';
import { findServices } from '../providers/findServices.ts';
import { createProvider } from '../providers/registry.ts';
import { editorSettingsSchema, type EditorSettings } from '../shared/settings.ts';
import { locale, logger } from './surroundings.ts';

/** An agent with the parts that every command has. */
export function newAgent({
  trust,
  settings = editorSettingsSchema.parse({}),
  ...options
}: Pick<
  AgentOptions,
  'host' | 'home' | 'cwd' | 'attended' | 'answersInText' | 'automatic' | 'fixedProfile'
> & {
  /** --trust: files of the folder may define modes and commands. */
  trust: boolean;
  /** Those of their defaults where nothing runs. */
  settings?: EditorSettings;
}): Agent {
  // What is wrong there is said now, not with the first message.
  proxyPlaces(process.env, locale);
  return new Agent({
    createProvider: async (profile, key) => {
      await useProxy(process.env, locale);
      return await createProvider(profile, {
        key,
        idleTimeoutMs: settings.idleTimeoutSeconds * 1000,
        retryLimit: settings.retryLimit,
      });
    },
    findServices,
    editorSettings: () => settings,
    // Starting it in a folder is the person's word for reading there; project files that start things stay off.
    trusted: () => true,
    trustsProject: () => trust,
    logger,
    ...options,
  });
}
