import { SearchReplaceError } from './parseBlocks.ts';
import { isUnified, parseUnified } from './parseUnified.ts';

export interface PatchLine {
  kind: 'kept' | 'removed' | 'added';
  text: string;
}

/** One stretch of a file that changes. */
export interface Hunk {
  /** The `@@` lines: each stands somewhere above the hunk, the first above the second. */
  context: string[];
  lines: PatchLine[];
  /** The last of the lines is the last of the file. */
  atEnd: boolean;
  /** 1-based line of the file as it was; where the hunk only adds, the line behind which it does. */
  startLine?: number;
  /**
   * Of unified diffs alone: lines are whole up to their `\n`, a `\r` included, and the hunk's last line on a side may be without.
   * Such a hunk can be placed byte for byte.
   */
  exact?: { oldBare: boolean; newBare: boolean };
}

export type FilePatch =
  | { type: 'add'; path: string; text: string }
  | { type: 'delete'; path: string; hunks: Hunk[] }
  | { type: 'update'; path: string; moveTo?: string; hunks: Hunk[] };

const HEADER = /^\*\*\* (Add|Delete|Update) File: *(.+?)\s*$/;
const MOVE = /^\*\*\* Move to: *(.+?)\s*$/;
const HOW =
  'A patch is: *** Begin Patch, for each file *** Add File: path (each line with + before it), *** Delete File: path, or *** Update File: path with hunks, then *** End Patch. ' +
  'A hunk is: @@ with a line that stands above it, then its lines with a space (as they are), - (removed) or + (new) before them.';

/**
 * Reads a patch in the grammar of `*** Begin Patch`, or a unified diff as git writes it. Nothing that cannot be read is left out.
 * @throws SearchReplaceError with the line, and how a patch is written
 */
export function parsePatch(patch: string): FilePatch[] {
  const lines = patch.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  if (begin === -1 && isUnified(patch)) return parseUnified(patch);
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch');
  if (begin === -1) throw new SearchReplaceError(`There is no *** Begin Patch line. ${HOW}`);
  if (end < begin)
    throw new SearchReplaceError(
      `The patch has no *** End Patch line: it seems to be cut, so nothing was done. Send it whole. ${HOW}`,
    );
  const files = new PatchReader(lines, begin + 1, end).files();
  if (files.length === 0) throw new SearchReplaceError(`The patch names no file. ${HOW}`);
  return files;
}

/** Goes through the lines between begin and end. */
class PatchReader {
  readonly #lines: readonly string[];
  readonly #end: number;
  #at: number;

  constructor(lines: readonly string[], start: number, end: number) {
    this.#lines = lines;
    this.#at = start;
    this.#end = end;
  }

  files(): FilePatch[] {
    const files: FilePatch[] = [];
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      if (line.trim() === '') continue;
      const [, type, path = ''] = HEADER.exec(line) ?? [];
      if (type === 'Add') files.push({ type: 'add', path, text: this.#added() });
      else if (type === 'Delete') files.push({ type: 'delete', path, hunks: [] });
      else if (type === 'Update') files.push(this.#update(path));
      else this.#wrong(line, 'is no line of a patch here.');
    }
    return files;
  }

  #next(): string | undefined {
    return this.#at < this.#end ? this.#lines[this.#at++] : undefined;
  }

  #peek(): string | undefined {
    return this.#at < this.#end ? this.#lines[this.#at] : undefined;
  }

  #added(): string {
    const text: string[] = [];
    for (let line = this.#peek(); line !== undefined && !HEADER.test(line); line = this.#peek()) {
      this.#at++;
      if (line.startsWith('+')) text.push(line.slice(1));
      // Models leave the + away from blank lines; behind the last line it is only layout.
      else if (line.trim() === '') text.push(...(this.#moreAdded() ? [''] : []));
      else this.#wrong(line, 'belongs to a new file and has no + before it.');
    }
    return text.map((line) => `${line}\n`).join('');
  }

  #moreAdded(): boolean {
    for (let at = this.#at; at < this.#end; at++) {
      const line = this.#lines[at] ?? '';
      if (line.trim() !== '') return line.startsWith('+');
    }
    return false;
  }

  #update(path: string): FilePatch {
    const [, moveTo] = MOVE.exec(this.#peek() ?? '') ?? [];
    if (moveTo !== undefined) this.#at++;
    const hunks: Hunk[] = [];
    let hunk: Hunk | undefined;
    const open = (): Hunk => {
      const next: Hunk = { context: [], lines: [], atEnd: false };
      hunks.push(next);
      return next;
    };
    for (let line = this.#peek(); line !== undefined && !HEADER.test(line); line = this.#peek()) {
      this.#at++;
      if (line.startsWith('@@')) {
        // Several @@ lines in a row lead to one place: a class, then its method.
        hunk = hunk?.lines.length === 0 ? hunk : open();
        addContext(hunk, line);
      } else if (line.trimEnd() === '*** End of File') {
        if (!hunk) this.#wrong(line, 'has no hunk before it.');
        else hunk.atEnd = true;
      } else if (line === '' && !this.#goesOn()) {
        // Layout before the next header.
      } else {
        const kind = line === '' ? 'kept' : kinds[line.charAt(0)];
        if (!kind) this.#wrong(line, 'begins with neither a space, nor +, nor -.');
        else {
          hunk = hunk?.atEnd === false ? hunk : open();
          hunk.lines.push({ kind, text: line.slice(1) });
        }
      }
    }
    const empty = hunks.some(({ lines }) => lines.every(({ kind }) => kind === 'kept'));
    if (empty || (hunks.length === 0 && moveTo === undefined))
      throw new SearchReplaceError(`'${path}' has a hunk that changes nothing. ${HOW}`);
    return { type: 'update', path, ...(moveTo === undefined ? {} : { moveTo }), hunks };
  }

  /** Whether lines of the hunk follow behind blank ones. */
  #goesOn(): boolean {
    for (let at = this.#at; at < this.#end; at++) {
      const line = this.#lines[at] ?? '';
      if (line !== '') return kinds[line.charAt(0)] !== undefined;
    }
    return false;
  }

  #wrong(line: string, what: string): never {
    throw new SearchReplaceError(
      `Line ${this.#at} of the patch, ${JSON.stringify(line.slice(0, 80))}, ${what} ${HOW}`,
    );
  }
}

const kinds: Record<string, PatchLine['kind'] | undefined> = { ' ': 'kept', '-': 'removed', '+': 'added' };

/** `@@ line above`, or as unified diffs have it, with line numbers. */
function addContext(hunk: Hunk, line: string): void {
  const numbers = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line);
  if (numbers) hunk.startLine = Number(numbers[1]);
  else {
    const text = line.replace(/^@@ ?/, '').replace(/ ?@@$/, '');
    if (text.trim() !== '') hunk.context.push(text);
  }
}
