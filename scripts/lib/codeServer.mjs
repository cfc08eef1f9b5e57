// VS Code in the browser, from npm: https://github.com/coder/code-server
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from './cache.mjs';
import { debianPackages } from './debian.mjs';
import { newerNode } from './node.mjs';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

const VERSION = '4.139.1';
const ENTRY = join('node_modules', 'code-server', 'out', 'node', 'entry.js');

/** What the folder holds when a stage of the install has begun; the last that exists is the current one. */
const STAGES = /** @type {const} */ ([
  ['', 'downloading'],
  ['node_modules/code-server/package.json', 'building native modules'],
  ['node_modules/code-server/lib/vscode/node_modules', "installing VS Code's own packages"],
  ['node_modules/code-server/lib/vscode/extensions/node_modules', "installing VS Code's built-in extensions"],
]);

/**
 * The Node and the script that start code-server, installed into the cache when they are not there yet.
 * Throws, with what to do, where the machine lacks something that can't be installed from here.
 * @returns {Promise<{ node: string, entry: string }>}
 */
export async function codeServer() {
  if (process.platform === 'win32')
    throw new Error(
      'VS Code in the browser is not available on Windows: install VS Code and put `code` on PATH.',
    );
  const node = await newerNode();
  const folder = await installOnce(`code-server-${VERSION}`, async (target) => {
    if (process.platform === 'linux') await debianPackages(['libkrb5-dev', 'python3', 'make', 'g++']);
    await withProgress(
      `installing VS Code (code-server ${VERSION}; needed once, 3 to 6 minutes, 620 MB)`,
      async (stage) => {
        // npm 11.6 and later run install scripts only where package.json allows them.
        const allowScripts = { 'code-server': true, argon2: true };
        writeFileSync(join(target, 'package.json'), JSON.stringify({ private: true, allowScripts }));
        const watch = () => {
          const begun = STAGES.filter(([path]) => existsSync(join(target, path)));
          stage(begun.at(-1)?.[1] ?? STAGES[0][1]);
        };
        watch();
        const timer = setInterval(watch, 1000);
        try {
          await npm(node, ['install', '--save-exact', `code-server@${VERSION}`], target);
        } finally {
          clearInterval(timer);
        }
      },
    );
  });
  return { node, entry: join(folder, ENTRY) };
}
