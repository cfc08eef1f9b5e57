// The parser beside its floor, concatenating the stream and looking for `<`: the same chunks, taken in turns.
import { AssistantMessageParser } from '../../src/core/assistant-message/AssistantMessageParser.ts';
import type { AssistantMessageContent } from '../../src/shared/tools.ts';
import { figure, growthExponent, median, percentile, printTable, timed } from './support/measure.ts';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const TOOLS = [
  { name: 'read_file', params: ['path', 'start_line', 'end_line'], verbatim: [] },
  { name: 'write_to_file', params: ['path', 'content'], verbatim: ['content'] },
];
const PROSE = 'The list is `Array<Item>`, so a < b holds; I will write the file and run the tests again. ';
const CODE = [
  `export function render<T extends Row>(rows: readonly T[]): string {`,
  `  return rows.map((row) => '<li class="row">' + escape(row.name) + '</li>').join('\\n');`,
  `}`,
  ``,
].join('\n');

const fill = (pattern: string, size: number) =>
  pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size);

/** A fifth prose, the rest one call that writes a file of code. */
function xmlMessage(size: number): string {
  const content = fill(CODE, Math.round(size * 0.8));
  const call = `<write_to_file>\n<path>src/rows.ts</path>\n<content>\n${content}\n</content>\n</write_to_file>`;
  return `${fill(PROSE, Math.max(0, size - call.length))}\n${call}`;
}

/** Pieces of 4 to 20 characters, the same in each run. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  let seed = 1;
  for (let at = 0; at < text.length;) {
    seed = (seed * 48_271) % 2_147_483_647;
    const length = 4 + (seed % 17);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}

interface Contender {
  readonly name: string;
  readonly chunks: (size: number) => string[];
  /** Gives what takes each chunk, and what ends the message. */
  readonly start: () => { take: (chunk: string) => void; end: () => void };
}

const newParser = (xml: boolean) => new AssistantMessageParser({ tools: TOOLS, xml });
let kept = 0; // so that no contender's work can be left out as unused

/** Looks through every value, so that each is there as one string. */
function read(blocks: readonly AssistantMessageContent[]): number {
  return blocks
    .flatMap((block) => (block.type === 'text' ? block.text : Object.values(block.params)))
    .reduce((sum, value) => sum + value.indexOf('\0'), 0);
}

const floor: Contender['start'] = () => {
  let text = '';
  return {
    take: (chunk) => {
      text += chunk;
      for (let at = chunk.indexOf('<'); at >= 0; at = chunk.indexOf('<', at + 1)) kept++;
    },
    // A search through the whole makes one string of the pieces, as it does of the parser's values.
    end: () => (kept += text.indexOf('\0')),
  };
};

const contenders: readonly Contender[] = [
  { name: 'floor', chunks: (size) => chunksOf(xmlMessage(size)), start: floor },
  {
    name: 'XML',
    chunks: (size) => chunksOf(xmlMessage(size)),
    start: () => {
      const parser = newParser(true);
      return {
        take: (chunk) => (kept += parser.text(chunk).length),
        end: () => (kept += parser.finish().length + read(parser.blocks())),
      };
    },
  },
  {
    name: 'native',
    chunks: (size) => chunksOf(JSON.stringify({ path: 'src/rows.ts', content: fill(CODE, size) })),
    start: () => {
      const parser = newParser(false);
      parser.nativeStart('call_1', 'write_to_file');
      return {
        take: (chunk) => (kept += parser.nativeDelta('call_1', chunk).length),
        end: () =>
          (kept += parser.nativeEnd('call_1').length + parser.finish().length + read(parser.blocks())),
      };
    },
  },
];

const whole = ({ start }: Contender, chunks: readonly string[]) =>
  timed(() => {
    const { take, end } = start();
    for (const chunk of chunks) take(chunk);
    end();
  });

console.log('Streaming parser, chunks of 4 to 20 characters, medians in ms');
const points = new Map<string, { size: number; time: number }[]>();
const rows: string[][] = [];
for (const size of SIZES) {
  const runs = Math.max(3, Math.min(200, Math.round(10_000_000 / size))); // small ones warm up for longer
  const prepared = contenders.map((contender) => ({
    contender,
    chunks: contender.chunks(size),
    times: [] as number[],
  }));
  for (let run = 0; run <= runs; run++)
    for (const { contender, chunks, times } of prepared) {
      const time = whole(contender, chunks);
      if (run > 0) times.push(time); // the first one warms up
    }
  const base = median(prepared[0]?.times ?? []);
  for (const { contender, chunks, times } of prepared) {
    const time = median(times);
    points.set(contender.name, [...(points.get(contender.name) ?? []), { size, time }]);
    const single: number[] = [];
    const { take, end } = contender.start();
    for (const chunk of chunks) single.push(timed(() => take(chunk)));
    end();
    rows.push([
      `${size / 1000} KB  ${contender.name}`,
      figure(time),
      `${figure(time / base)}x`,
      figure(percentile(single, 0.99) * 1000),
      figure(percentile(single, 1)),
    ]);
  }
}
printTable(['message', 'ms', 'of floor', 'p99 a chunk, us', 'most, ms'], rows);
for (const [name, measured] of points)
  console.log(`growth exponent, ${name}: ${growthExponent(measured).toFixed(3)}`);
console.log('goals: 3x the floor or less, exponent 1.05 or less, p99 5 us or less, most 2 ms or less');
if (kept < 0) console.log(kept);
