// How often the file that answers a question is among the first ten, beside plain grep for the question's words; and what the index costs.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CodeIndex } from '../../src/services/codeIndex/CodeIndex.ts';
import { listFiles } from '../../src/services/search/ripgrep.ts';
import { findRipgrep } from '../../src/hosts/node/NodeHost.ts';
import { codeQuestions } from './support/codeQuestions.ts';
import { figure, growthExponent, median, percentile, printTable } from './support/measure.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const SIZES = [625, 2500, 10_000];
const signal = new AbortController().signal;
const ripgrep = await findRipgrep(process.env);
if (ripgrep === undefined) throw new Error('ripgrep is needed to list files');
const base = mkdtempSync(join(tmpdir(), 'lathe-bench-index-'));

async function filesIn(root: string): Promise<string[]> {
  // The questions themselves would answer every question.
  const isHidden = (path: string): boolean => path.endsWith('codeQuestions.ts');
  return await listFiles({ ripgrep: ripgrep ?? '', root, path: '.', isHidden, signal });
}

async function ask(index: CodeIndex, root: string, files: string[], question: string): Promise<string[]> {
  const onProgress = (): void => undefined;
  const answer = await index.search({
    root,
    files,
    question,
    prefix: '',
    limit: 16,
    patience: 600_000,
    signal,
    onProgress,
  });
  return [...new Set(answer.places.map(({ path }) => path))];
}

const STOP = new Set(
  'a an and are as at be by for from has how in is it its of off on one or out so that the their them to two we what when where which with'.split(
    ' ',
  ),
);

/** Plain grep: files that hold the most of the question's words, as they are written, then the most lines with them. */
function grep(texts: ReadonlyMap<string, string[]>, question: string): string[] {
  const words = question
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word.length > 1 && !STOP.has(word));
  const found = [...texts].map(([path, lines]) => {
    const counts = words.map((word) => lines.filter((line) => line.includes(word)).length);
    return {
      path,
      words: counts.filter((count) => count > 0).length,
      lines: counts.reduce((a, b) => a + b, 0),
    };
  });
  return found
    .sort((a, b) => b.words - a.words || b.lines - a.lines)
    .slice(0, 10)
    .map(({ path }) => path);
}

console.log('Questions answered: the file is among the first ten, and first (MRR: the mean of 1/rank)');
const rows: string[][] = [];
for (const { name, folder, questions } of codeQuestions) {
  const root = realpathSync(folder === undefined ? ROOT : join(ROOT, folder));
  const files = await filesIn(root);
  const index = CodeIndex.create(join(base, 'questions'));
  if (!index) throw new Error('this Node has no SQLite');
  const texts = new Map(
    files
      .filter((path) => statSync(join(root, path)).size < 1024 * 1024)
      .map((path) => [path, readFileSync(join(root, path), 'utf8').toLowerCase().split('\n')]),
  );
  const ranks: Record<'index' | 'grep', number[]> = { index: [], grep: [] };
  for (const [question, ...answers] of questions) {
    for (const answer of answers) if (!files.includes(answer)) throw new Error(`${name} has no ${answer}`);
    const rank = (paths: readonly string[]): number => paths.findIndex((path) => answers.includes(path)) + 1;
    const found = (await ask(index, root, files, question)).slice(0, 10);
    ranks.index.push(rank(found));
    ranks.grep.push(rank(grep(texts, question)));
    if (process.env.VERBOSE && rank(found) !== 1)
      console.log(`  ${rank(found)} ${question}: ${found.slice(0, 4).join(' ')}`);
  }
  for (const [way, all] of Object.entries(ranks)) {
    const share = (count: number): string => `${figure((100 * count) / all.length)}%`;
    rows.push([
      `${name}, ${files.length} files, ${questions.length} questions  ${way}`,
      share(all.filter((rank) => rank > 0).length),
      share(all.filter((rank) => rank === 1).length),
      figure(all.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / all.length),
    ]);
  }
  await index.dispose();
}
printTable(['questions', 'recall@10', 'first', 'MRR'], rows);

/** As many files as asked, of this repository's own code under other names, so that sizes and words are those of code. */
async function corpus(count: number): Promise<string> {
  const root = join(base, `files-${count}`);
  const own = (await filesIn(ROOT)).filter((path) =>
    /^(?:src|webview-ui\/src|test\/unit)\/.*\.tsx?$/.test(path),
  );
  for (let number = 0; number < count; number++) {
    const path = own[number % own.length] ?? '';
    const target = join(root, `copy${Math.floor(number / own.length)}`, path);
    mkdirSync(dirname(target), { recursive: true });
    // Names differ from copy to copy, as they do between files.
    writeFileSync(
      target,
      readFileSync(join(ROOT, path), 'utf8').replaceAll(
        /\b([A-Z]\w{5,})\b/g,
        `$1${Math.floor(number / own.length)}`,
      ),
    );
  }
  return root;
}

console.log('\nBuilding and asking');
const built: { size: number; time: number }[] = [];
const asked: { size: number; time: number }[] = [];
const costs: string[][] = [];
for (const count of SIZES) {
  const root = await corpus(count);
  const files = await filesIn(root);
  const bytes = files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const folder = join(base, `index-${count}`);
  const index = CodeIndex.create(folder);
  if (!index) throw new Error('this Node has no SQLite');
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  let start = performance.now();
  await ask(index, root, files, 'anything');
  const build = performance.now() - start;
  clearInterval(watch);
  const times: number[] = [];
  for (const [question] of codeQuestions[0]?.questions ?? []) {
    start = performance.now();
    await ask(index, root, files, question);
    times.push(performance.now() - start);
  }
  const changed = join(root, files[0] ?? '');
  utimesSync(changed, new Date(), new Date(Date.now() + 60_000));
  start = performance.now();
  await ask(index, root, files, 'anything');
  const update = performance.now() - start;
  await index.dispose();
  const disk = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  built.push({ size: count, time: build });
  asked.push({ size: count, time: median(times) });
  costs.push([
    `${files.length} files, ${figure(bytes / 1e6)} MB`,
    `${figure(build / 1000)} s`,
    figure((bytes / 1e6 / build) * 1000),
    figure(median(times)),
    figure(percentile(times, 0.95)),
    figure(update),
    `${figure((peak - before) / 1e6)} MB`,
    `${figure(disk / 1e6)} MB`,
  ]);
}
printTable(
  ['corpus', 'build', 'MB a second', 'query, ms', 'p95', 'one file changed, ms', 'memory', 'on disk'],
  costs,
);
console.log(
  `growth exponents over files: build ${growthExponent(built).toFixed(3)}, query ${growthExponent(asked).toFixed(3)}`,
);
console.log('goals: memory 200 MB or less on 10,000 files (peak of the process over what it was before)');
rmSync(base, { recursive: true, force: true });
