// SEARCH/REPLACE on files of a thousand to a hundred thousand lines, beside the floor: finding the same texts with indexOf and joining.
import { parseBlocks, SearchReplaceError } from '../../src/core/diff/parseBlocks.ts';
import { applyBlocks } from '../../src/core/diff/searchReplace.ts';
import { figure, growthExponent, median, printTable, timed } from './support/measure.ts';

const LINES = [1_000, 10_000, 100_000];
const BLOCKS = [1, 10, 100];
const SEARCHED = 5;

/** Code in which every line stands once, save the braces and blanks that stand everywhere. */
function codeOf(count: number): string[] {
  const lines: string[] = [];
  for (let number = 0; lines.length < count; number++)
    lines.push(
      `export function handler${number}(request: Request, options: Options): Response {`,
      `  const value = table.get('key-${number}') ?? options.fallback;`,
      `  return respond(request, value, ${number});`,
      `}`,
      ``,
    );
  return lines.slice(0, count);
}

interface Edit {
  /** 0-based. */
  at: number;
  search: string[];
  replace: string[];
}

function editsOf(lines: readonly string[], count: number): Edit[] {
  return Array.from({ length: count }, (_, index) => {
    const at = Math.floor(((index + 0.5) * lines.length) / count / SEARCHED) * SEARCHED;
    const search = lines.slice(at, at + SEARCHED);
    return {
      at,
      search,
      replace: search.map((line, offset) => (offset === 1 ? `${line} // changed` : line)),
    };
  });
}

function diffOf(edits: readonly Edit[], startLine: (edit: Edit) => number | undefined): string {
  return edits
    .map((edit) => {
      const line = startLine(edit);
      const head = line === undefined ? [] : [`:start_line:${line}`, '-------'];
      return ['<<<<<<< SEARCH', ...head, ...edit.search, '=======', ...edit.replace, '>>>>>>> REPLACE'].join(
        '\n',
      );
    })
    .join('\n');
}

let kept = 0; // so that no contender's work can be left out as unused

function floor(text: string, edits: readonly Edit[]): void {
  const parts: string[] = [];
  let from = 0;
  for (const { search, replace } of edits) {
    const at = text.indexOf(search.join('\n'), from);
    parts.push(text.slice(from, at), replace.join('\n'));
    from = at + search.join('\n').length;
  }
  kept += (parts.join('') + text.slice(from)).length;
}

function apply(text: string, diff: string): string {
  try {
    const result = applyBlocks(text, parseBlocks(diff));
    kept += result.length;
    return '';
  } catch (error) {
    if (!(error instanceof SearchReplaceError)) throw error;
    return error.message;
  }
}

interface Contender {
  readonly name: string;
  /** Lines x blocks → milliseconds. */
  readonly goals: Readonly<Record<string, string>>;
  readonly start: (lines: readonly string[], edits: readonly Edit[]) => () => string;
}

const withDiff =
  (diff: (edits: readonly Edit[]) => string): Contender['start'] =>
  (lines, edits) => {
    const text = `${lines.join('\n')}\n`;
    const blocks = diff(edits);
    return () => apply(text, blocks);
  };

const contenders: readonly Contender[] = [
  {
    name: 'floor',
    goals: {},
    start: (lines, edits) => {
      const text = `${lines.join('\n')}\n`;
      return () => {
        floor(text, edits);
        return '';
      };
    },
  },
  {
    name: 'exact, start line',
    goals: { '10000x10': '0.5', '100000x100': '8' },
    start: withDiff((edits) => diffOf(edits, ({ at }) => at + 1)),
  },
  {
    name: 'no start line',
    goals: { '10000x10': '2' },
    start: withDiff((edits) => diffOf(edits, () => undefined)),
  },
  {
    name: 'start line off by 25',
    goals: { '10000x10': '2' },
    start: withDiff((edits) => diffOf(edits, ({ at }) => at + 26)),
  },
  {
    name: 'other indentation',
    goals: { '10000x10': '10' },
    start: withDiff((edits) =>
      diffOf(
        edits.map((edit) => ({
          at: edit.at,
          search: edit.search.map((line) => `  ${line}`),
          replace: edit.replace.map((line) => `  ${line}`),
        })),
        ({ at }) => at + 1,
      ),
    ),
  },
  {
    name: 'missing',
    goals: { '100000x1': '10' },
    start: withDiff((edits) =>
      diffOf(
        edits.map((edit) => ({ ...edit, search: edit.search.map((line) => `${line} is not there`) })),
        ({ at }) => at + 1,
      ),
    ),
  },
];

console.log('SEARCH/REPLACE, five lines a block, parsed and applied; medians in ms');
const points = new Map<string, { size: number; time: number }[]>();
const rows: string[][] = [];
for (const blocks of BLOCKS)
  for (const count of LINES) {
    const lines = codeOf(count);
    const edits = editsOf(lines, blocks);
    const prepared = contenders.map(({ name, goals, start }) => ({
      name,
      goal: goals[`${count}x${blocks}`] ?? '',
      work: start(lines, edits),
      times: [] as number[],
      said: '',
    }));
    for (let run = 0; run <= (count >= 100_000 ? 15 : 40); run++)
      for (const one of prepared) {
        const time = timed(() => (one.said = one.work()));
        if (run > 5) one.times.push(time); // the first ones warm up
      }
    const base = median(prepared[0]?.times ?? []);
    for (const { name, goal, times, said } of prepared) {
      const time = median(times);
      const kind = `${name}, ${blocks} ${blocks === 1 ? 'block' : 'blocks'}`;
      points.set(kind, [...(points.get(kind) ?? []), { size: count, time }]);
      rows.push([
        `${count / 1000} k lines x ${blocks}  ${name}`,
        figure(time),
        `${figure(time / base)}x`,
        goal,
        said === '' ? '' : `${said.length} characters`,
      ]);
    }
  }
printTable(['edit', 'ms', 'of floor', 'goal, ms', 'error'], rows);
for (const [name, measured] of points)
  console.log(`growth exponent over lines, ${name}: ${growthExponent(measured).toFixed(3)}`);
if (kept < 0) console.log(kept);
