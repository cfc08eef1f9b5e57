// `npm test`: installs what is missing, then types, lint, unit tests, tests with a browser, the package, the protocol
// for other editors, tests inside the extension host and end-to-end tests in a real VS Code. The last line is "N passed, N failed".
// --only=types,lint,unit,contract,fuzz,crash,mcp,browser,package,acp,server,inhost,e2e runs some of them. --cases=50000 lets the comparison with bash go on for longer.
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { acpClients } from './lib/acpClients.mjs';
import { codeServer } from './lib/codeServer.mjs';
import { debianPackages, findChromium } from './lib/debian.mjs';
import { dependencies } from './lib/dependencies.mjs';
import { mcpServers } from './lib/mcpServers.mjs';
import { newerNode } from './lib/node.mjs';
import { npmEnvironment } from './lib/npm.mjs';
import { onInterrupt, run } from './lib/processes.mjs';
import { elapsed } from './lib/progress.mjs';

const ROOT = dirname(import.meta.dirname);
const MINUTE = 60_000;
/** No run takes longer, whatever hangs. */
const DEADLINE = Date.now() + 80 * MINUTE;

/** @typedef {{ passed: number, failed: number, failures?: readonly string[], again?: readonly string[] }} Counts */
/** @typedef {{ name: string, title: string, minutes: number, run: (limit: number) => Promise<Counts> }} Step */

const temporary = mkdtempSync(join(tmpdir(), 'lathe-test-'));
const removeTemporary = () =>
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
onInterrupt(removeTemporary);

/** @type {string} */
let node;

/** @type {readonly Step[]} */
const steps = [
  {
    name: 'types',
    title: 'Types',
    minutes: 8,
    run: async (limit) =>
      oneOf(
        (await tool(limit, 'typescript/bin/tsc', ['-p', '.'])) &&
          (await tool(limit, 'typescript/bin/tsc', ['-p', 'webview-ui'])),
      ),
  },
  {
    name: 'lint',
    title: 'Lint',
    minutes: 12,
    run: async (limit) =>
      oneOf(
        (await tool(limit, 'eslint/bin/eslint.js', ['.'])) &&
          (await tool(limit, 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.'])),
      ),
  },
  {
    name: 'unit',
    title: 'Unit tests',
    minutes: 10,
    run: (limit) => mocha(limit, 'dot', []),
  },
  {
    name: 'contract',
    title: 'The whole agent, its tools and services',
    minutes: 15,
    run: async (limit) => {
      if (process.platform === 'linux') await debianPackages(['bubblewrap']);
      return mocha(limit, 'dot', ['--config', 'test/contract/.mocharc.json']);
    },
  },
  {
    name: 'fuzz',
    title: 'What commands run, as real bash sees it',
    minutes: 15,
    run: async (limit) => {
      if (process.platform === 'linux') await debianPackages(['bubblewrap']);
      else return oneOf(true);
      const cases = process.argv
        .find((argument) => argument.startsWith('--cases='))
        ?.slice('--cases='.length);
      const longer = cases === undefined ? {} : { LATHE_FUZZ_CASES: cases };
      return mocha(
        cases === undefined ? limit : 75 * MINUTE,
        'spec',
        ['--config', 'test/fuzz/.mocharc.json'],
        longer,
      );
    },
  },
  {
    name: 'crash',
    title: 'Killed at every write to the disk',
    minutes: 20,
    run: (limit) => mocha(limit, 'spec', ['--config', 'test/crash/.mocharc.json']),
  },
  {
    name: 'mcp',
    title: 'Published MCP servers',
    minutes: 5,
    run: async (limit) =>
      mocha(limit, 'dot', ['--config', 'test/mcp/.mocharc.json'], {
        LATHE_TEST_MCP_SERVERS: await mcpServers(node),
        LATHE_TEST_NODE: node,
        ...(await browser()),
      }),
  },
  {
    name: 'browser',
    title: 'The sidebar in a browser, and browsers that Lathe drives',
    minutes: 15,
    run: async (limit) => mocha(limit, 'dot', ['--config', 'test/frontends/.mocharc.json'], await browser()),
  },
  {
    name: 'package',
    title: 'Build and package',
    minutes: 5,
    run: async (limit) => oneOf(await tool(limit, join(ROOT, 'scripts', 'package.mjs'), [])),
  },
  {
    name: 'acp',
    title: 'The Agent Client Protocol, by the packaged program',
    minutes: 20,
    run: async (limit) =>
      mocha(limit, 'dot', ['--config', 'test/acp/.mocharc.json'], {
        LATHE_TEST_ACP_CLIENTS: await acpClients(node),
      }),
  },
  {
    name: 'server',
    title: 'The agent behind HTTP',
    minutes: 10,
    run: async (limit) => {
      if (process.platform === 'linux') await debianPackages(['postgresql']);
      return mocha(limit, 'spec', ['--config', 'test/server/.mocharc.json']);
    },
  },
  {
    name: 'inhost',
    title: 'Tests inside the extension host',
    minutes: 8,
    run: async (limit) => {
      const env = await realVsCode();
      return counted(limit, env, ['--import', 'tsx', 'test/e2e/support/runInHost.ts']);
    },
  },
  {
    name: 'e2e',
    title: 'End-to-end tests in a real VS Code',
    minutes: 40,
    run: async (limit) => mocha(limit, 'spec', ['--config', 'test/e2e/.mocharc.json'], await realVsCode()),
  },
];

/**
 * Runs one of the repository's own tools to its end, showing its output.
 * @param {number} limit milliseconds
 * @param {string} path absolute, or inside node_modules
 * @param {readonly string[]} args
 */
async function tool(limit, path, args) {
  const script = path.startsWith(ROOT) ? path : join(ROOT, 'node_modules', path);
  return (await program(limit, [script, ...args], {})) === 0;
}

/**
 * @param {number} limit milliseconds
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} extra
 */
async function program(limit, args, extra) {
  // The person's own settings of Lathe (keys, folders) are not for tests.
  const own = Object.entries(npmEnvironment(node)).filter(([name]) => !name.startsWith('LATHE_'));
  const env = { ...Object.fromEntries(own), ...extra };
  const { code, timedOut } = await run(node, args, {
    cwd: ROOT,
    env,
    timeout: Math.min(limit, Math.max(1000, DEADLINE - Date.now())),
  });
  if (timedOut) console.log('  stopped: this step took longer than it may');
  return timedOut ? 1 : code;
}

/** @param {boolean} good */
function oneOf(good) {
  return good ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {number} limit milliseconds
 * @param {'dot' | 'spec'} reporter
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function mocha(limit, reporter, args, env) {
  const script = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const ours = ['--reporter', join(ROOT, 'scripts', 'lib', 'reporter.mjs')];
  return counted(limit, { ...env, LATHE_TEST_REPORTER: reporter }, [
    script,
    ...args,
    ...ours,
    '--forbid-only',
  ]);
}

/**
 * Runs a suite that leaves its counts in a file. A suite that ran nothing, or ended badly without a failed test, failed.
 * @param {number} limit milliseconds
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} args
 * @returns {Promise<Counts>}
 */
async function counted(limit, env, args) {
  const result = join(temporary, `result-${Date.now()}.json`);
  const code = await program(limit, args, { ...env, LATHE_TEST_RESULT: result });
  if (!existsSync(result)) {
    console.log('  the suite did not run to its end');
    return { passed: 0, failed: 1 };
  }
  const counts = /** @type {Counts & { complete: boolean }} */ (JSON.parse(readFileSync(result, 'utf8')));
  if (!counts.complete) console.log('  the suite did not run to its end');
  else if (counts.passed + counts.failed === 0) console.log('  the suite holds no test');
  const isEmpty = counts.passed + counts.failed === 0;
  const ranBadly = !counts.complete || isEmpty || (code !== 0 && counts.failed === 0);
  const { passed, failed, failures, again } = counts;
  return { passed, failed: failed + (ranBadly ? 1 : 0), failures, again };
}

/** Installs VS Code and a browser, and says where they are. */
async function realVsCode() {
  const { entry } = await codeServer();
  return { ...(await browser()), LATHE_TEST_CODE_SERVER: entry, LATHE_TEST_NODE: node };
}

/** Installs a browser, and says where it is. */
async function browser() {
  if (process.platform === 'linux') await debianPackages(['chromium']);
  const chromium = findChromium();
  if (!chromium) throw new Error('The end-to-end tests need Chromium or Chrome on PATH.');
  return { LATHE_TEST_CHROMIUM: chromium };
}

const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const unknown = only?.filter((name) => !steps.some((step) => step.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `No such step: ${unknown.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const total = { passed: 0, failed: 0 };
/** @type {string[]} */
const notes = [];
/** @param {string} title @param {Counts} counts */
const add = (title, { passed, failed, failures = [], again = [] }) => {
  total.passed += passed;
  total.failed += failed;
  notes.push(...again.map((test) => `passed only when run again: ${title}: ${test}`));
  notes.push(...failures.map((test) => `FAILED: ${title}: ${test}`));
  if (failed > failures.length) notes.push(`FAILED: ${title}`);
};
const started = Date.now();
try {
  console.log('== What is needed');
  node = await newerNode();
  await dependencies(ROOT, node);
  for (const step of steps.filter(({ name }) => only?.includes(name) ?? true)) {
    console.log(`\n== ${step.title}`);
    const start = Date.now();
    const counts = await step.run(step.minutes * MINUTE).catch((/** @type {unknown} */ error) => {
      console.log(`  ${error instanceof Error ? error.message : String(error)}`);
      return { passed: 0, failed: 1 };
    });
    console.log(`== ${step.title}: ${counts.passed} passed, ${counts.failed} failed (${elapsed(start)})`);
    add(step.title, counts);
  }
} catch (error) {
  console.log(`  ${error instanceof Error ? error.message : String(error)}`);
  add('What is needed', { passed: 0, failed: 1 });
} finally {
  removeTemporary();
}
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
console.log(`\nAll steps took ${elapsed(started)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
