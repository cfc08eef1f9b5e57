// `npm run conformance:mcp`: the MCP project's own referee over Lathe's hub, for both protocol revisions. docs/mcp.md says what it proves.
// --requirements=2025-11-25 runs one revision; the results stay in the folder that is printed when something fails.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { installOnce } from './lib/cache.mjs';
import { newerNode } from './lib/node.mjs';
import { npm } from './lib/npm.mjs';
import { run } from './lib/processes.mjs';
import { withProgress } from './lib/progress.mjs';

const ROOT = dirname(import.meta.dirname);
const VERSION = '0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const MINUTE = 60_000;
/** It measures times: among others it fails for want of a processor. */
const TIMED = 'sse-retry';

/** The script of the referee, installed into the cache when it is not there yet. @param {string} node */
async function referee(node) {
  const folder = await installOnce(`mcp-conformance-${VERSION}`, (target) =>
    withProgress(`installing the MCP conformance referee ${VERSION} (needed once)`, async () => {
      writeFileSync(join(target, 'package.json'), '{"private":true}\n');
      const name = `@modelcontextprotocol/conformance@${VERSION}`;
      await npm(node, ['install', '--ignore-scripts', '--save-exact', name], target);
    }),
  );
  return join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
}

/** Checks by scenario, as the referee wrote them. @param {string} folder */
function results(folder) {
  /** @type {Map<string, { passed: number, failed: string[] }>} */
  const found = new Map();
  for (const path of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    if (typeof path !== 'string' || !path.endsWith('checks.json')) continue;
    const scenario = dirname(path).replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    /** @type {{ status: string, id: string, errorMessage?: string }[]} */
    const checks = JSON.parse(readFileSync(join(folder, path), 'utf8'));
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    found.set(scenario, {
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`),
    });
  }
  return found;
}

const chosen = process.argv.find((argument) => argument.startsWith('--requirements='))?.split('=')[1];
const node = await newerNode();
const script = await referee(node);
const temporary = mkdtempSync(join(tmpdir(), 'lathe-conformance-'));
const client = join(temporary, 'client.mjs');
await build({
  entryPoints: [join(ROOT, 'test', 'services', 'mcp', 'conformanceClient.ts')],
  outfile: client,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

/** @param {readonly string[]} args @param {string} folder */
async function judge(args, folder) {
  /** @type {string[]} */
  const lines = [];
  const { code } = await run(
    node,
    [script, 'client', '--command', `${node} ${client}`, '--timeout', '30000', '-o', folder, ...args],
    { cwd: temporary, timeout: 10 * MINUTE, onLine: (line) => lines.push(line) },
  );
  return { code, lines };
}

let failed = false;
for (const revision of chosen ? [chosen] : REVISIONS) {
  const folder = join(temporary, revision);
  const { code, lines } = await judge(['--requirements', revision], folder);
  const all = results(folder);
  const alone = join(temporary, `${revision}-${TIMED}`);
  const timed = await judge(['--scenario', TIMED, '--spec-version', '2025-11-25'], alone);
  console.log(`\n== Requirements of ${revision}`);
  for (const [scenario, { passed, failed: wrong }] of [...all].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(
      `${wrong.length === 0 ? 'passed' : 'FAILED'}  ${scenario}  ${passed} checks${wrong.map((one) => `\n        ${one}`).join('')}`,
    );
  console.log(
    lines
      .filter((line) => /scored|total|summary|passed|failed/i.test(line))
      .slice(-12)
      .join('\n'),
  );
  const checks = [...all.values()];
  const passed = checks.reduce((sum, one) => sum + one.passed, 0);
  const wrong = checks.reduce((sum, one) => sum + one.failed.length, 0);
  console.log(
    `${all.size} scenarios, checks: ${passed} passed, ${wrong} failed; ${TIMED} alone: ${timed.code === 0 ? 'passed' : 'failed'}`,
  );
  if (code !== 0) failed = true;
}
if (failed) console.log(`\nWhat each scenario printed is in ${temporary}`);
else rmSync(temporary, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
