import type { ReasoningItem, ToolItem, ViewItem } from '../../../src/shared/viewItems.ts';

export type RunPart = ToolItem | ReasoningItem;

/** A line of the transcript: an item, or a run of finished reads folded into one. */
export type Row = { kind: 'item'; key: string; item: ViewItem } | { kind: 'run'; key: string; parts: Parts };
type Parts = readonly [RunPart, ...RunPart[]];

/** The item that a row begins with: it keeps its key when the row is folded with others. */
export function firstItem(row: Row): ViewItem {
  return row.kind === 'item' ? row.item : row.parts[0];
}

export function holdsItem(row: Row, key: string): boolean {
  return row.kind === 'item' ? row.key === key : row.parts.some((part) => part.key === key);
}

/** Makes rows of items; a row whose items did not change stays the same object. */
export class RowBuilder {
  readonly #itemRows = new WeakMap<ViewItem, Row>();
  #runs = new Map<string, Row>();

  rows(items: readonly ViewItem[]): readonly Row[] {
    const rows: Row[] = [];
    const runs = new Map<string, Row>();
    let part: RunPart[] = [];
    const flush = (): void => {
      const end = lastTool(part) + 1;
      const folded = part.slice(0, end);
      const [first, ...rest] = folded;
      if (first && folded.filter(({ type }) => type === 'tool').length >= 2) {
        const run = this.#run([first, ...rest]);
        runs.set(run.key, run);
        rows.push(run);
      } else for (const item of folded) rows.push(this.#itemRow(item));
      for (const item of part.slice(end)) rows.push(this.#itemRow(item));
      part = [];
    };
    items.forEach((item, index) => {
      if (foldable(item, part.length > 0)) part.push(item);
      else {
        flush();
        if (!repeatedByCompletion(item, items[index + 1])) rows.push(this.#itemRow(item));
      }
    });
    flush();
    this.#runs = runs;
    return rows;
  }

  #itemRow(item: ViewItem): Row {
    const known = this.#itemRows.get(item);
    if (known) return known;
    const row: Row = { kind: 'item', key: item.key, item };
    this.#itemRows.set(item, row);
    return row;
  }

  #run(parts: Parts): Row {
    const key = `run:${parts[0].key}`;
    const known = this.#runs.get(key);
    const same =
      known?.kind === 'run' &&
      known.parts.length === parts.length &&
      known.parts.every((part, index) => part === parts[index]);
    return same ? known : { kind: 'run', key, parts };
  }
}

/** Finished reads and searches, and the thoughts between them. */
function foldable(item: ViewItem, inRun: boolean): item is RunPart {
  if (item.type === 'reasoning') return inRun && !item.streaming;
  return item.type === 'tool' && item.state === 'done' && isLook(item);
}

function isLook({ view }: ToolItem): boolean {
  return view.kind === 'read' || view.kind === 'search';
}

function lastTool(parts: readonly RunPart[]): number {
  return parts.findLastIndex(({ type }) => type === 'tool');
}

/** The call that completed the task says the same as the completion after it. */
function repeatedByCompletion(item: ViewItem, next: ViewItem | undefined): boolean {
  return (
    item.type === 'tool' &&
    item.tool === 'attempt_completion' &&
    item.state === 'done' &&
    next?.type === 'completion'
  );
}
