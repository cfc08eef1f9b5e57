import { Agent, type AgentOptions } from '../core/Agent.ts';
import { proxyPlaces, useProxy } from '../hosts/node/useProxy.ts';
import { findServices } from '../providers/findServices.ts';
import { createProvider } from '../providers/registry.ts';
import { editorSettingsSchema, type EditorSettings } from '../shared/settings.ts';
import { locale, logger } from './surroundings.ts';

/** An agent with the parts that every command has. */
export function newAgent({
  trust,
  maxTurns,
  ...options
}: Pick<
  AgentOptions,
  'host' | 'home' | 'cwd' | 'attended' | 'answersInText' | 'automatic' | 'fixedProfile'
> & {
  /** --trust: files of the folder may define modes and commands. */
  trust: boolean;
  /** --max-turns: requests to the model in one turn. */
  maxTurns?: number | undefined;
}): Agent {
  // What is wrong there is said now, not with the first message.
  proxyPlaces(process.env, locale);
  const { LATHE_BROWSER: browser, LATHE_BROWSER_SANDBOX: browserSandbox } = process.env;
  const { LATHE_SANDBOX: sandbox, LATHE_SANDBOX_NETWORK: network } = process.env;
  const settings = editorSettingsSchema.parse({
    browser,
    browserSandbox: browserSandbox !== 'off',
    sandbox: sandboxOf(sandbox),
    sandboxNetwork: network === 'on',
    requestLimit: maxTurns,
  });
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

/** A word that we do not know is not taken for another: nothing runs by itself then. */
function sandboxOf(word: string | undefined): EditorSettings['sandbox'] {
  return word === undefined || word === '' || word === 'automatic'
    ? 'automatic'
    : word === 'all'
      ? 'all'
      : 'off';
}
