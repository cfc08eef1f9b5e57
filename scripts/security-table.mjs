// `npm run advisories`: runs the tests whose names are `advisory · product · promise` and writes them, with how they ended, into
// docs/security.md. With --check nothing is run: the page must name the tests that there are.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';

const ROOT = dirname(import.meta.dirname);
const PAGE = join(ROOT, 'docs', 'security.md');
const START = '<!-- advisories -->';
const END = '<!-- end of advisories -->';
const check = process.argv.includes('--check');

/** @typedef {{ title: string, file: string, passed: boolean | undefined }} Row */

/** @returns {Row[]} */
function tests() {
  const output = join(tmpdir(), `lathe-advisories-${process.pid}.json`);
  const files = readdirSync(join(ROOT, 'test', 'security')).filter((name) => name.endsWith('.test.ts'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js'),
      ...['--no-config', '--import=tsx', '--exit', '--timeout', '120000', '--reporter', 'json'],
      ...['--reporter-option', `output=${output}`, '--grep', ' · .* · ', ...(check ? ['--dry-run'] : [])],
      ...files.map((name) => join('test', 'security', name)),
    ],
    { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  /** @type {{ tests: { title: string, file: string, err: object }[] }} */
  const report = JSON.parse(readFileSync(output, 'utf8'));
  if (!check && status !== 0 && report.tests.every(({ err }) => Object.keys(err).length === 0))
    throw new Error(stderr);
  return report.tests.map(({ title, file, err }) => ({
    title,
    file: file.slice(ROOT.length + 1).replaceAll('\\', '/'),
    passed: check ? undefined : Object.keys(err).length === 0,
  }));
}

const rows = tests().toSorted((a, b) => (a.title < b.title ? -1 : 1));
const page = readFileSync(PAGE, 'utf8');
const [before = '', rest = ''] = page.split(START);
const after = rest.split(END)[1] ?? '';
/** @param {Row} row */
const cells = ({ title, file, passed }) => {
  const [id = '', product = '', promise = ''] = title.split(' · ').map((cell) => cell.replaceAll('|', '\\|'));
  return `| ${id} | ${product} | ${promise} | [${file.split('/').pop() ?? ''}](../${file}) | ${passed === false ? 'broken' : 'kept'} |`;
};
const table = [
  '| Advisory | Product | What is promised here | Test | Result |',
  '|---|---|---|---|---|',
  ...rows.map(cells),
].join('\n');
if (check) {
  const missing = rows.map(cells).filter((row) => !rest.includes(row));
  const stale = (rest.split(END)[0] ?? '')
    .split('\n')
    .filter(
      (line) => line.startsWith('| ') && !line.startsWith('| Advisory') && !rows.map(cells).includes(line),
    );
  if (missing.length + stale.length > 0) {
    process.stderr.write(
      `docs/security.md does not say what the tests say: npm run advisories\n${[...missing, ...stale].join('\n')}\n`,
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(PAGE, `${before}${START}\n<!-- prettier-ignore -->\n${table}\n${END}${after}`);
  process.stdout.write(
    `${rows.length} advisories, ${rows.filter(({ passed }) => passed === true).length} kept\n`,
  );
  if (rows.some(({ passed }) => passed !== true)) process.exitCode = 1;
}
