// `npm run package`: the release build and dist/lathe.vsix from it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './lib/processes.mjs';
import { packagedReadme } from './lib/readme.mjs';

const ROOT = dirname(import.meta.dirname);
const steps = [
  ['esbuild.mjs', '--production', ...process.argv.slice(2)],
  [
    ...['node_modules/@vscode/vsce/vsce', 'package', '--out', 'dist/lathe.vsix'],
    // Everything is bundled. The README is the packaged one, and needs nothing rewritten.
    ...['--no-dependencies', '--readme-path', 'dist/README.md'],
    ...['--no-rewrite-relative-links', '--allow-missing-repository'],
  ],
];

const readme = packagedReadme(readFileSync(join(ROOT, 'README.md'), 'utf8'));

for (const [script = '', ...args] of steps) {
  // Behind the build, which empties dist/.
  if (args[0] === 'package') writeFileSync(join(ROOT, 'dist', 'README.md'), readme);
  const { code } = await run(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT });
  if (code !== 0) process.exit(code);
}
