// Runs test/inhost/ inside the extension host of a real VS Code, and leaves the counts in LATHE_TEST_RESULT.
// An argument picks the windows whose path holds it. The files in the folder itself run in a window with a folder; each folder in it has its own kind of window.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { REPOSITORY, VsCode, type VsCodeOptions } from './VsCode.ts';

/** One window with its tests: what it opens, made in a throw-away folder. */
interface Scene {
  files: string;
  options: (folder: string) => Pick<VsCodeOptions, 'workspace' | 'env'>;
}

/** VS Code's own start, then the tests. */
const LONGEST_MS = 5 * 60_000;

const scenes: readonly Scene[] = [
  {
    files: 'test/inhost/*.test.ts',
    options: (folder) => {
      writeFileSync(join(folder, 'readme.md'), '# A workspace\n');
      return { workspace: folder };
    },
  },
  {
    files: 'test/inhost/no-folder/*.test.ts',
    options: () => ({}),
  },
  {
    files: 'test/inhost/several-folders/*.test.ts',
    options: (folder) => {
      for (const name of ['first', 'second']) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'readme.md'), `# The ${name} folder\n`);
      }
      const workspace = join(folder, 'both.code-workspace');
      writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'first' }, { path: 'second' }] }));
      return { workspace };
    },
  },
  {
    files: 'test/inhost/no-data-folder/*.test.ts',
    options: (folder) => {
      // A file stands where the folder should be: nobody can write below it, not even root.
      writeFileSync(join(folder, 'data'), '');
      return { workspace: folder, env: { LATHE_HOME: join(folder, 'data', 'lathe') } };
    },
  },
];

interface Result {
  passed: number;
  failed: number;
  failures: string[];
  again: string[];
  lines: string[];
}

/** @returns what the tests of this window came to */
async function play({ files, options }: Scene, number: number): Promise<Result> {
  const name = join(REPOSITORY, 'dist', 'test', `inhost${number}`);
  const [tests, result] = [`${name}.mjs`, `${name}.json`];
  rmSync(result, { force: true });
  await bundle(globSync(files, { cwd: REPOSITORY }).sort(), tests);
  const folder = mkdtempSync(join(tmpdir(), 'lathe-inhost-'));
  const given = options(folder);
  const code = await VsCode.start({
    ...given,
    env: { ...given.env, LATHE_TEST_RESULT: result },
    development: { extension: REPOSITORY, tests },
  });
  try {
    for (const end = Date.now() + LONGEST_MS; Date.now() < end && !existsSync(result);) await sleep(200);
    if (existsSync(result)) return JSON.parse(readFileSync(result, 'utf8')) as Result;
    const lines = [
      `The tests of ${files} did not end.`,
      `Picture: ${await code.screenshot(`inhost${number}`)}`,
      ...[...code.console.slice(-30), code.server.log().slice(-3000)],
    ];
    return { passed: 0, failed: 1, failures: [`The tests of ${files} did not end`], again: [], lines };
  } finally {
    await code.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(files: readonly string[], outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: [
        `import { runTests } from './test/inhost/runTests.ts';`,
        `export const run = () => runTests([`,
        ...files.map((file) => `  () => import(${JSON.stringify(`./${file}`)}),`),
        `]);`,
      ].join('\n'),
      resolveDir: REPOSITORY,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

const counts = { passed: 0, failed: 0, failures: [] as string[], again: [] as string[] };
const [only = ''] = process.argv.slice(2);
for (const [number, scene] of scenes.entries()) {
  if (!scene.files.includes(only)) continue;
  const { passed, failed, failures, again, lines } = await play(scene, number);
  console.log(lines.join('\n'));
  counts.passed += passed;
  counts.failed += failed;
  counts.failures.push(...failures);
  counts.again.push(...again);
}
const result = process.env['LATHE_TEST_RESULT'];
if (result) writeFileSync(result, JSON.stringify({ ...counts, complete: true }));
if (counts.failed > 0) process.exitCode = 1;
