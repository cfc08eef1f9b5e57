import { version } from '../../package.json';
import { withoutSecrets } from '../hosts/node/NodeHost.ts';
import { useProxy } from '../hosts/node/useProxy.ts';
import type { McpHub } from '../services/mcp/McpHub.ts';
import { locale, logger } from './surroundings.ts';

/**
 * The MCP servers of a folder, which begin to connect. Those of its own files run only after a person agreed to them somewhere.
 * `given`: servers that a client handed over, in the form of the configuration.
 */
export async function startHub(
  home: string,
  workspace: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<McpHub> {
  await useProxy(process.env, locale);
  const { McpHub } = await import('../services/mcp/McpHub.ts');
  const hub = new McpHub({
    home,
    workspace: () => workspace,
    trusted: () => true,
    environment: withoutSecrets(process.env),
    version,
    logger,
  });
  await hub.start();
  if (Object.keys(given).length > 0) await hub.give(given);
  return hub;
}
