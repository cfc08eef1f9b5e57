// Published MCP servers for tests, and the MCP project's own inspector to compare with, from npm, in the cache.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

const VERSION = '2026.8.31';
const NAMES = ['everything', 'filesystem', 'memory', 'sequential-thinking'];
const OTHERS = ['@playwright/mcp@0.0.83', '@modelcontextprotocol/inspector@2.12.0'];

/**
 * The folder of the packages, installed into the cache when they are not there yet.
 * @param {string} node the Node that runs npm
 */
export async function mcpServers(node) {
  const folder = await installOnce(`mcp-servers-${VERSION}-inspected`, (target) =>
    withProgress(`installing MCP servers ${VERSION} (needed once)`, async () => {
      writeFileSync(join(target, 'package.json'), '{"private":true}\n');
      const packages = NAMES.map((name) => `@modelcontextprotocol/server-${name}@${VERSION}`);
      await npm(node, ['install', '--ignore-scripts', '--save-exact', ...packages, ...OTHERS], target);
    }),
  );
  return join(folder, 'node_modules');
}
