import type { ToolItem } from '../../../src/shared/viewItems.ts';
import type { DiffRow } from './parsePatch.ts';

type Change = readonly [before: string | undefined, after: string | undefined];

/** Rows of a change that still arrives; undefined when its arguments are no change that can be shown. Line numbers of 0 are not known. */
export function streamedRows({ params }: ToolItem, last: number): DiffRow[] | undefined {
  const { content, diff, args, patch } = params;
  if (params.old_string !== undefined || params.new_string !== undefined)
    return changeRows([params.old_string, params.new_string], 0).slice(-last);
  if (params.search !== undefined && params.replace !== undefined)
    return changeRows([params.search, params.replace], 0).slice(-last);
  const blocks = diff ?? args;
  if (blocks !== undefined) return blockRows(blocks)?.slice(-last);
  if (patch !== undefined) return patchRows(patch, last);
  return content === undefined ? undefined : addedRows(content, last);
}

/** The last block of `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE` as far as it has come. */
function blockRows(text: string): DiffRow[] | undefined {
  const start = text.lastIndexOf('<<<<<<< SEARCH');
  if (start < 0) return undefined;
  const lines = text.slice(start).split('\n').slice(1);
  let number = 0;
  let before: string[] | undefined;
  let after: string[] | undefined;
  let over = false;
  for (const line of lines) {
    const said = /^:start_line:\s*(\d+)/.exec(line);
    if (before === undefined && said) number = Number(said[1]);
    else if (before === undefined && /^(:end_line:|-------\s*$)/.test(line)) continue;
    else if (!over && line.startsWith('>>>>>>>')) over = true;
    else if (over) break;
    else if (after) after.push(line);
    else if (/^=======\s*$/.test(line)) after = [];
    else (before ??= []).push(line);
  }
  return changeRows([before?.join('\n') ?? '', after?.join('\n')], number, over);
}

/** What is the same at both ends is shown once; the rest as removed, then as added. */
function changeRows([before, after]: Change, start: number, over = false): DiffRow[] {
  const old = linesOf(before);
  const next = after === undefined ? undefined : linesOf(after);
  const number = (index: number): number => (start === 0 ? 0 : start + index);
  // Before its replacement begins, nothing of it has been taken away.
  if (next === undefined)
    return old.map((text, index) => ({ type: 'same', text, before: number(index), after: number(index) }));
  let head = 0;
  while (head < Math.min(old.length, next.length) && old[head] === next[head]) head++;
  let tail = 0;
  if (over)
    while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail))
      tail++;
  const same = (text: string, a: number, b: number): DiffRow => ({
    type: 'same',
    text,
    before: number(a),
    after: number(b),
  });
  return [
    ...old.slice(0, head).map((text, index) => same(text, index, index)),
    ...old
      .slice(head, old.length - tail)
      .map((text, index): DiffRow => ({ type: 'removed', text, before: number(head + index) })),
    ...next
      .slice(head, next.length - tail)
      .map((text, index): DiffRow => ({ type: 'added', text, after: number(head + index) })),
    ...old
      .slice(old.length - tail)
      .map((text, index) => same(text, old.length - tail + index, next.length - tail + index)),
  ];
}

function patchRows(patch: string, last: number): DiffRow[] {
  return endOf(patch, last).lines.flatMap((line): DiffRow[] => {
    if (/^(\*\*\*|---|\+\+\+|@@)/.test(line)) return [{ type: 'hunk', text: line.replace(/^[*\s]+/, '') }];
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ type: 'added', text, after: 0 }];
    if (line.startsWith('-')) return [{ type: 'removed', text, before: 0 }];
    return [{ type: 'same', text, before: 0, after: 0 }];
  });
}

function addedRows(content: string, last: number): DiffRow[] {
  const { lines, first } = endOf(content, last);
  return lines.map((text, index) => ({ type: 'added', text, after: first + index }));
}

/** The last lines, found without splitting all of the text, and the number of the first of them. */
function endOf(text: string, count: number): { lines: string[]; first: number } {
  let start = text.length;
  for (let line = 0; line < count && start > 0; line++) start = text.lastIndexOf('\n', start - 1);
  let first = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at <= start; at = text.indexOf('\n', at + 1)) first++;
  return { lines: text.slice(start > 0 ? start + 1 : 0).split('\n'), first };
}

function linesOf(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.split('\n');
}
