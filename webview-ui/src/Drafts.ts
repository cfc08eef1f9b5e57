import { withEntry, type Memory } from './Memory.ts';
import type { Draft, Editing } from './state.ts';

/** Drafts that are kept at most; the oldest goes first. */
const MAXIMUM = 50;
const NEW_TASK = 'new';

/** The text being written in each task, what an edit of an earlier message set aside, and the mode of the next task. */
export class Drafts {
  readonly #memory: Memory;
  /** Pictures are too large for the editor's state: they last as long as the page. */
  readonly #images = new Map<string, Draft['images']>();
  readonly #imagesBefore = new Map<string, Draft['images']>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get mode(): string | undefined {
    return this.#memory.kept.mode;
  }

  keepMode(mode: string): void {
    this.#memory.keep({ mode });
  }

  of(taskId: string | undefined): Draft {
    const key = taskId ?? NEW_TASK;
    return { text: this.#memory.kept.drafts[key] ?? '', images: this.#images.get(key) ?? [] };
  }

  save(taskId: string | undefined, { text, images }: Draft): void {
    const key = taskId ?? NEW_TASK;
    const { drafts } = this.#memory.kept;
    this.#images.set(key, images);
    if (text === (drafts[key] ?? '')) return;
    this.#memory.keep({ drafts: withEntry(drafts, key, text === '' ? undefined : text, MAXIMUM) });
  }

  /** The earlier message that is being written anew in this task. */
  editing(taskId: string | undefined): Editing | undefined {
    const kept = taskId === undefined ? undefined : this.#memory.kept.editing?.[taskId];
    if (taskId === undefined || kept === undefined) return undefined;
    const images = this.#imagesBefore.get(taskId) ?? [];
    return { seq: kept.seq, before: { text: kept.before, images } };
  }

  saveEditing(taskId: string, editing: Editing | undefined): void {
    if (editing) this.#imagesBefore.set(taskId, editing.before.images);
    else this.#imagesBefore.delete(taskId);
    const kept = editing && { seq: editing.seq, before: editing.before.text };
    this.#memory.keep({ editing: withEntry(this.#memory.kept.editing ?? {}, taskId, kept, MAXIMUM) });
  }
}
