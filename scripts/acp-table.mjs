// Writes the table of docs/acp.md: each requirement of the protocol and the tests that show it, from the tests' own names.
// `--check` only compares, and fails when the page says something else.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const PAGE = join(ROOT, 'docs', 'acp.md');
const BEGIN = '<!-- requirements: written by `npm run requirements` -->';
const END = '<!-- /requirements -->';

/** Each test's requirement and what it shows, in the order of the requirements. */
export function requirements() {
  const folder = join(ROOT, 'test', 'acp');
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\bit\(\s*(['"`])([^:\n]+): (.+?)\1,/g)].map(
        ([, , id = '', shows = '']) => ({ id, file, shows: shows.replace(/\$\{[^}]*\}/g, '…') }),
      ),
    );
  /** @param {string} id */
  const order = (id) => {
    const [, letter, number] = /^([TP])(\d+)$/.exec(id) ?? [];
    return letter === undefined ? `Z ${id}` : `${letter}${String(number).padStart(3, '0')}`;
  };
  return found.sort((a, b) => order(a.id).localeCompare(order(b.id)));
}

/** @param {string} page */
function withTable(page) {
  const rows = requirements().map(
    ({ id, file, shows }) => `| ${id} | ${shows} | [${file}](../test/acp/${file}) |`,
  );
  const table = ['| Requirement | What the test shows | Test |', '|---|---|---|', ...rows].join('\n');
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to === -1) throw new Error('docs/acp.md has no place for the table');
  return `${page.slice(0, from + BEGIN.length)}\n\n${table}\n\n${page.slice(to)}`;
}

const page = readFileSync(PAGE, 'utf8');
const written = withTable(page);
if (process.argv.includes('--check')) {
  if (written !== page) {
    console.error('docs/acp.md is behind the tests: npm run requirements');
    process.exitCode = 1;
  }
} else if (import.meta.filename === process.argv[1]) {
  writeFileSync(PAGE, written);
}
