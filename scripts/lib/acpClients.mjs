// Published clients of the Agent Client Protocol, to drive the packaged program with in tests: from npm, in the cache.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

/** Each brings the version of the protocol's SDK that it was made with. */
const CLIENTS = ['acpx@0.19.1', 'acp-factory@0.1.14'];

/**
 * The folder of the packages, installed into the cache when they are not there yet.
 * @param {string} node the Node that runs npm; one from 22.13 on
 */
export async function acpClients(node) {
  const name = ['acp-clients', ...CLIENTS.map((client) => client.split('@')[1])].join('-');
  const folder = await installOnce(name, (target) =>
    withProgress(`installing ${CLIENTS.join(' and ')} (needed once)`, async () => {
      writeFileSync(join(target, 'package.json'), '{"private":true}\n');
      await npm(node, ['install', '--ignore-scripts', '--save-exact', ...CLIENTS], target);
    }),
  );
  return join(folder, 'node_modules');
}
