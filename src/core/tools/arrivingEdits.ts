import { replaceLiteral } from '../diff/literal.ts';
import { parseBlocks, SearchReplaceError } from '../diff/parseBlocks.ts';
import { applyBlocks } from '../diff/searchReplace.ts';
import type { ArrivingEdit } from './BaseTool.ts';

/** A whole file: the lines that have come, then those of the file as it is. */
export const arrivingFile: ArrivingEdit = {
  path: 'path',
  after({ content = '', mode = '' }, before) {
    if (mode === 'append') return (before ?? '') + content;
    const whole = content.slice(0, content.lastIndexOf('\n') + 1);
    const count = whole.split('\n').length - 1;
    return whole + (before ?? '').split('\n').slice(count).join('\n');
  },
};

/** SEARCH/REPLACE blocks: those that are whole. */
export const arrivingBlocks: ArrivingEdit = {
  path: 'path',
  after({ diff = '' }, before) {
    const end = [...diff.matchAll(/^(>{7,9} ?REPLACE|\+{7,9} ?REPLACE)[ \t]*\r?$/gm)].at(-1);
    if (before === null || !end) return undefined;
    return fitting(() => applyBlocks(before, parseBlocks(diff.slice(0, end.index + end[0].length))));
  },
};

/** One text for another: what has come of the other. */
export const arrivingReplacement: ArrivingEdit = {
  path: 'file_path',
  after({ old_string: old, new_string: next }, before) {
    if (old === undefined || next === undefined) return undefined;
    if (old === '') return before === null || before === '' ? next : undefined;
    return before === null ? undefined : fitting(() => replaceLiteral(before, old, next, { tolerant: true }));
  },
};

/** What does not fit is told when the call runs. */
function fitting(edit: () => string): string | undefined {
  try {
    return edit();
  } catch (error) {
    if (error instanceof SearchReplaceError) return undefined;
    throw error;
  }
}
