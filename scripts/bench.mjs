// `npm run bench`: builds the release bundles, then prints the figures of each test/bench/*.bench.ts beside their goals.
// --only=parser,bundles runs some of them. Figures are for reading: they never fail a build.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dependencies } from './lib/dependencies.mjs';
import { newerNode } from './lib/node.mjs';
import { npmEnvironment } from './lib/npm.mjs';
import { run } from './lib/processes.mjs';

const ROOT = dirname(import.meta.dirname);
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

const node = await newerNode();
await dependencies(ROOT, node);
const options = { cwd: ROOT, env: npmEnvironment(node) };
const built = await run(node, ['scripts/package.mjs', '--metafile'], { ...options, onLine: () => undefined });
if (built.code !== 0) throw new Error('The build failed: run npm run package to see why.');

const benches = readdirSync(join(ROOT, 'test', 'bench')).filter((name) => name.endsWith('.bench.ts'));
for (const name of benches.filter((name) => only?.includes(name.replace('.bench.ts', '')) ?? true)) {
  console.log(`\n== ${name.replace('.bench.ts', '')}`);
  const { code } = await run(node, ['--import', 'tsx', `test/bench/${name}`], {
    ...options,
    timeout: 15 * 60_000,
  });
  if (code !== 0) process.exitCode = 1;
}
