import type { CacheSnapshot } from 'virtua';
import type { Reading } from '../../src/shared/editor.ts';
import { withEntry, type Memory } from './Memory.ts';

export type Place = NonNullable<Reading['place']>;

/** Tasks whose place is kept, and rows of a task that are; the oldest go first. */
const MAXIMUM_TASKS = 20;
const MAXIMUM_ROWS = 200;

/** Where the reader left the transcripts of tasks, and which rows are open there. */
export class Places {
  readonly #memory: Memory;
  /** The heights of the open task's rows, while another screen is shown. */
  heights: { taskId: string; offset: number; cache: CacheSnapshot } | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** None where the end is followed. */
  of(taskId: string): Place | undefined {
    return this.#memory.kept.reading?.[taskId]?.place;
  }

  save(taskId: string, place: Place | undefined): void {
    const before = this.of(taskId);
    if (before?.key === place?.key && before?.offset === place?.offset) return;
    this.#keep(taskId, { ...(place ? { place } : {}), open: this.#open(taskId) });
  }

  /** Whether the reader opened or closed this row; undefined when they did neither. */
  isOpen(taskId: string, row: string): boolean | undefined {
    return this.#open(taskId)[row];
  }

  setOpen(taskId: string, row: string, open: boolean): void {
    const place = this.of(taskId);
    this.#keep(taskId, {
      ...(place ? { place } : {}),
      open: withEntry(this.#open(taskId), row, open, MAXIMUM_ROWS),
    });
  }

  #open(taskId: string): Reading['open'] {
    return this.#memory.kept.reading?.[taskId]?.open ?? {};
  }

  #keep(taskId: string, reading: Reading): void {
    const nothing = reading.place === undefined && Object.keys(reading.open).length === 0;
    const kept = nothing ? undefined : reading;
    this.#memory.keep({
      reading: withEntry(this.#memory.kept.reading ?? {}, taskId, kept, MAXIMUM_TASKS),
    });
  }
}
