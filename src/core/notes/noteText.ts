import { createHash } from 'node:crypto';
import type { Note } from '../../shared/notes.ts';

/** A note and the lines of the file that it stands on: from `start`, up to but without `end`. */
export interface PlacedNote extends Note {
  start: number;
  end: number;
}

const OUTSIDE = '[outside] ';
const ITEM = /^(?:[-*+]|\d{1,3}[.)])[ \t]+/;

/**
 * The notes of a Markdown file as a person may write it: each item of a list with the lines indented below it, and each paragraph.
 * Headings and comments are theirs alone.
 */
export function notesIn(text: string): PlacedNote[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const notes: PlacedNote[] = [];
  let line = 0;
  while (line < lines.length) {
    const first = lines[line] ?? '';
    if (first.startsWith('<!--')) {
      while (line < lines.length && !(lines[line] ?? '').includes('-->')) line++;
      line++;
      continue;
    }
    if (first.trim() === '' || /^#{1,6}(\s|$)/.test(first)) {
      line++;
      continue;
    }
    const item = ITEM.test(first);
    const start = line++;
    while (line < lines.length && goesOn(lines, line, item)) line++;
    notes.push(noteOf(lines.slice(start, line), start));
  }
  return notes.filter(({ text: words }) => words !== '');
}

/** The file with a note more, another one, or one less. `at` is the note in question; without it the note is put at the end. */
export function withNote(
  text: string,
  note: Pick<Note, 'text' | 'outside'> | undefined,
  at: PlacedNote | undefined,
): string {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  const written = note === undefined ? [] : itemOf(note);
  if (at) lines.splice(at.start, at.end - at.start, ...written);
  else {
    // A list goes on; behind anything else it begins anew.
    const gap = notesIn(text).at(-1)?.end === lines.length && ITEM.test(lastItemLine(lines));
    lines.push(...(gap ? [] : ['']), ...written);
  }
  return `${lines.join('\n').replace(/^\n+/, '').replace(/\n+$/, '')}\n`;
}

export function idOf(text: string): string {
  return `n${createHash('sha256').update(text).digest('hex').slice(0, 6)}`;
}

function goesOn(lines: readonly string[], at: number, item: boolean): boolean {
  const line = lines[at] ?? '';
  if (line.trim() !== '')
    return /^[ \t]/.test(line) || (!item && !ITEM.test(line) && !/^(#{1,6}(\s|$)|<!--)/.test(line));
  // A blank line belongs to an item whose indented lines go on behind it.
  const next = lines.slice(at).find((one) => one.trim() !== '');
  return item && next !== undefined && /^[ \t]/.test(next);
}

function noteOf(lines: readonly string[], start: number): PlacedNote {
  const marker = ITEM.exec(lines[0] ?? '')?.[0] ?? '';
  const indent = new RegExp(`^[ \\t]{0,${Math.max(2, marker.length)}}`);
  const body = [
    (lines[0] ?? '').slice(marker.length),
    ...lines.slice(1).map((one) => one.replace(indent, '')),
  ];
  const whole = body.join('\n').trim();
  const text = whole.replace(/^(\[outside\]\s*)+/, '');
  const outside = text !== whole;
  return { id: idOf(text), text, outside, start, end: start + lines.length };
}

function itemOf({ text, outside }: Pick<Note, 'text' | 'outside'>): string[] {
  const [first = '', ...more] = `${outside ? OUTSIDE : ''}${text}`.split('\n');
  return [`- ${first}`, ...more.map((one) => (one === '' ? '' : `  ${one}`))];
}

function lastItemLine(lines: readonly string[]): string {
  return lines.findLast((one) => one.trim() !== '' && !/^[ \t]/.test(one)) ?? '';
}
