// The definitions of files of several sizes, beside what tree-sitter needs to parse them: in one thread, and through the product's own.
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Language as Grammar, Parser } from 'web-tree-sitter';
import { definitions } from '../../src/services/definitions/definitions.ts';
import { grammarFile, runtimeFile } from '../../src/services/definitions/grammarFiles.ts';
import { outlineOf } from '../../src/services/definitions/Syntax.ts';
import { figure, growthExponent, median, printTable, timed } from './support/measure.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const SIZES = [20_000, 200_000, 2_000_000];
const RUNS = 9;
const signal = new AbortController().signal;

/** This repository's own code, as one text of about so many characters. */
function codeOf(size: number): string {
  const folder = join(ROOT, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const all = files.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
  const repeated = all.repeat(Math.ceil(size / all.length));
  return repeated.slice(0, repeated.indexOf('\n}\n', size) + 3);
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

let parser: Parser | undefined;
const first = await timedAsync(async () => {
  await Parser.init({ wasmBinary: await readFile(runtimeFile()) });
  parser = new Parser();
  parser.setLanguage(await Grammar.load(await readFile(grammarFile('typescript'))));
});
const firstCall = await timedAsync(() => definitions('typescript', 'function a() {}', signal));

const rows: string[][] = [];
const points: { size: number; time: number }[] = [];
for (const size of SIZES) {
  const text = codeOf(size);
  const times: Record<'parse' | 'outline' | 'thread', number[]> = { parse: [], outline: [], thread: [] };
  let found = 0;
  for (let run = -2; run < RUNS; run++) {
    const parse = timed(() => parser?.parse(text)?.delete());
    const outline = await timedAsync(() => outlineOf('typescript', text, 60_000));
    const thread = await timedAsync(async () => {
      found = (await definitions('typescript', text, signal)).definitions.length;
    });
    if (run < 0) continue; // the first ones warm up
    times.parse.push(parse);
    times.outline.push(outline);
    times.thread.push(thread);
  }
  const raw = median(times.parse);
  points.push({ size, time: median(times.outline) });
  for (const [name, measured] of [
    ['parse alone', times.parse],
    ['definitions, same thread', times.outline],
    ['definitions, as the tool gets them', times.thread],
  ] as const)
    rows.push([
      `${figure(text.length / 1000)} KB, ${found} definitions  ${name}`,
      figure(median(measured)),
      `${figure(median(measured) / raw)}x`,
      name === 'parse alone' ? '' : '1.15x',
    ]);
}
console.log(`Definitions of TypeScript; medians of ${RUNS} runs`);
printTable(['text', 'ms', 'of the parse', 'goal'], rows);
console.log(`growth exponent over the size: ${growthExponent(points).toFixed(3)}`);
console.log(
  `first call: tree-sitter and the grammar ${figure(first)} ms; through a new thread ${figure(firstCall)} ms`,
);
console.log(`memory of this process at its end: ${figure(process.memoryUsage().rss / 1e6)} MB`);
