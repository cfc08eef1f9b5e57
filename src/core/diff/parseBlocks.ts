/** One SEARCH/REPLACE block. Lines are without their breaks. */
export interface SearchReplaceBlock {
  search: string[];
  replace: string[];
  /** 1-based line where the search should stand. */
  startLine?: number;
}

/** A block list that cannot be read, or a block that cannot be placed: words for the model. */
export class SearchReplaceError extends Error {
  override readonly name = 'SearchReplaceError';
}

const SEARCH = /^(<{7,9} ?SEARCH>?|-{7,9} ?SEARCH>?)\s*$/;
const DIVIDER = /^={7,9}\s*$/;
const REPLACE = /^(>{7,9} ?REPLACE|\+{7,9} ?REPLACE)\s*$/;
const START_LINE = /^:start_line:\s*(\d+)\s*$/;
const END_LINE = /^:end_line:\s*(\d+)\s*$/;
const SEPARATOR = /^-{7,9}\s*$/;
/** A line that would look like a marker has one backslash more than it has in the file. */
const ESCAPED = /^\\(?=\\*(<{7}|={7}|>{7}|-{7}|\+{7}|:start_line:|:end_line:))/;
const HOW =
  'Each block is: <<<<<<< SEARCH, optionally :start_line:N and -------, the lines to find, =======, the new lines, >>>>>>> REPLACE, each marker on a line of its own.';

/** Reads the blocks of a diff: ours, and Cline's `------- SEARCH` / `+++++++ REPLACE`. @throws SearchReplaceError */
export function parseBlocks(diff: string): SearchReplaceBlock[] {
  const blocks: SearchReplaceBlock[] = [];
  let block: SearchReplaceBlock | undefined;
  let part: 'outside' | 'head' | 'search' | 'replace' = 'outside';
  const wrong = (line: number, what: string): never => {
    throw new SearchReplaceError(
      `Line ${line} of the diff: ${what} ${HOW} A line of content that looks like a marker is written with a backslash before it.`,
    );
  };
  for (const [index, line] of diff.split(/\r?\n/).entries()) {
    const number = index + 1;
    if (SEARCH.test(line)) {
      if (part !== 'outside') wrong(number, 'a block begins before the last one has ended.');
      block = { search: [], replace: [] };
      part = 'head';
    } else if (part === 'outside' || !block) {
      if (DIVIDER.test(line) || REPLACE.test(line)) wrong(number, 'a marker stands outside of a block.');
    } else if (REPLACE.test(line)) {
      if (part !== 'replace') wrong(number, 'the block has no ======= line.');
      blocks.push(block);
      part = 'outside';
    } else if (DIVIDER.test(line)) {
      if (part === 'replace') wrong(number, 'the block has a second ======= line.');
      part = 'replace';
    } else if (part === 'head' && START_LINE.test(line)) {
      const start = Number(START_LINE.exec(line)?.[1]);
      if (start > 0) block.startLine = start;
    } else if (part === 'head' && END_LINE.test(line)) {
      // The search itself says how long it is.
    } else if (part === 'head' && SEPARATOR.test(line)) {
      part = 'search';
    } else {
      if (part === 'head') part = 'search';
      block[part === 'replace' ? 'replace' : 'search'].push(line.replace(ESCAPED, ''));
    }
  }
  if (part !== 'outside') throw new SearchReplaceError(`The last block has no >>>>>>> REPLACE line. ${HOW}`);
  if (blocks.length === 0) throw new SearchReplaceError(`The diff holds no SEARCH/REPLACE block. ${HOW}`);
  return blocks;
}
