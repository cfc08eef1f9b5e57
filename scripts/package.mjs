// `npm run package`: the release build and dist/lathe.vsix from it.
import { dirname, join } from 'node:path';
import { run } from './lib/processes.mjs';

const ROOT = dirname(import.meta.dirname);
const steps = [
  ['esbuild.mjs', '--production', ...process.argv.slice(2)],
  [
    ...['node_modules/@vscode/vsce/vsce', 'package', '--out', 'dist/lathe.vsix'],
    // Everything is bundled, and the pictures of the README travel with it.
    ...['--no-dependencies', '--no-rewrite-relative-links', '--allow-missing-repository'],
  ],
];

for (const [script = '', ...args] of steps) {
  const { code } = await run(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT });
  if (code !== 0) process.exit(code);
}
