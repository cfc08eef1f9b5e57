// search_files and list_files beside ripgrep alone, on trees of growing size: what finding honest counts and keeping some lines adds.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRipgrep } from '../../src/hosts/node/NodeHost.ts';
import { listFiles, search } from '../../src/services/search/ripgrep.ts';
import { figure, growthExponent, median, printTable } from './support/measure.ts';

const SIZES = [100, 1_000, 10_000];
const LINES = 100;
const RUNS = 7;
const RUNS_OF_SMALL = 25;

const ripgrep = await findRipgrep(process.env);
if (ripgrep === undefined) throw new Error('ripgrep was not found: npm install brings it.');

/** A tree of files with a hundred lines each, a match in every second line. */
function treeOf(files: number): string {
  const root = mkdtempSync(join(tmpdir(), 'lathe-bench-search-'));
  const text = Array.from({ length: LINES }, (_, line) =>
    line % 2 === 0
      ? `  return respond(request, table.get('key-${line}'));`
      : `  const value${line} = options.fallback;`,
  ).join('\n');
  for (let file = 0; file < files; file++) {
    const path = join(root, `folder-${file % 50}`, `deeper-${file % 7}`, `file-${file}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
  return root;
}

async function timedAsync(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const alone = (root: string, args: readonly string[]): unknown =>
  execFileSync(ripgrep, args, { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });

/** With what it says read through a pipe, as any caller must, and thrown away. */
async function read(root: string, args: readonly string[]): Promise<void> {
  const child = spawn(ripgrep ?? '', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await once(child, 'close');
}

const contenders: readonly { name: string; goal: string; base: string; work: (root: string) => unknown }[] = [
  {
    name: 'rg, search',
    goal: '',
    base: 'rg, search',
    work: (root) => alone(root, ['--line-number', '--context=1', 'return', '.']),
  },
  {
    name: 'rg, search, read',
    goal: '',
    base: 'rg, search',
    work: (root) => read(root, ['--line-number', '--context=1', 'return', '.']),
  },
  {
    name: 'search_files',
    goal: '1.1x',
    base: 'rg, search',
    work: (root) =>
      search({
        ripgrep,
        root,
        path: '.',
        regex: 'return',
        maximumMatches: 300,
        maximumLineLength: 500,
        isHidden: () => false,
        signal: new AbortController().signal,
      }),
  },
  { name: 'rg --files', goal: '', base: 'rg --files', work: (root) => alone(root, ['--files']) },
  {
    name: 'list_files, recursive',
    goal: '1.3x',
    base: 'rg --files',
    work: (root) =>
      listFiles({ ripgrep, root, path: '.', isHidden: () => false, signal: new AbortController().signal }),
  },
];

console.log('Search and listing, files of a hundred lines with fifty matches each; medians in ms');
const points = new Map<string, { size: number; time: number }[]>();
const rows: string[][] = [];

/** Measures one tree; `label` names it, `size` is what growth is measured over. */
async function measure(root: string, label: string, runs: number, size?: number): Promise<void> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let run = 0; run <= runs; run++)
    for (const { name, work } of contenders) {
      const time = await timedAsync(() => work(root));
      if (run > 0) times.get(name)?.push(time); // the first one warms up
    }
  for (const { name, goal, base } of contenders) {
    const time = median(times.get(name) ?? []);
    if (size !== undefined) points.set(name, [...(points.get(name) ?? []), { size, time }]);
    const ratio = `${figure(time / median(times.get(base) ?? []))}x`;
    rows.push([`${label}  ${name}`, figure(time), ratio, goal]);
  }
}

for (const size of SIZES) {
  const root = treeOf(size);
  try {
    await measure(root, `${size} files`, size <= 1_000 ? RUNS_OF_SMALL : RUNS, size);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
// The largest real tree that is at hand: other people's code, files of every size and kind.
const real = realpathSync(join(import.meta.dirname, '..', '..', 'node_modules'));
const files = execFileSync(ripgrep, ['--files'], { cwd: real, encoding: 'utf8', maxBuffer: 2 ** 28 });
await measure(real, `node_modules, ${files.split('\n').length - 1} files`, 3);
printTable(['what', 'ms', 'of ripgrep', 'goal'], rows);
for (const [name, measured] of points)
  console.log(`growth exponent over files, ${name}: ${growthExponent(measured).toFixed(3)}`);
