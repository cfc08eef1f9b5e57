import { keptDraftsSchema, type KeptDrafts } from '../../src/shared/editor.ts';
import type { EditorApi } from './editorApi.ts';

/** Milliseconds that changes are gathered before the editor is told. */
const GATHER = 200;

/**
 * What must survive a reload of the page. It is in the page's own state, which the editor writes down now and then, and is told to
 * the editor, who writes it down at once: a crash loses no more than the last key.
 */
export class Memory {
  readonly #api: EditorApi;
  readonly #tell: (kept: KeptDrafts) => void;
  #kept: KeptDrafts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: EditorApi, tell: (kept: KeptDrafts) => void) {
    this.#api = api;
    this.#tell = tell;
    this.#kept = keptDraftsSchema.safeParse(api.getState()).data ?? { drafts: {}, at: 0 };
  }

  get kept(): KeptDrafts {
    return this.#kept;
  }

  /** Takes what the editor has kept, when it is newer than the page's own. */
  adopt(kept: KeptDrafts): void {
    if (kept.at <= this.#kept.at) return;
    this.#kept = kept;
    this.#api.setState(kept);
  }

  keep(change: Partial<Omit<KeptDrafts, 'at'>>): void {
    this.#kept = { ...this.#kept, ...change, at: Date.now() };
    this.#api.setState(this.#kept);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tell(this.#kept);
    }, GATHER);
  }
}

/** The record with this entry as its newest, or without it, and at most so many others. */
export function withEntry<T>(
  record: Readonly<Record<string, T>>,
  key: string,
  value: T | undefined,
  maximum: number,
): Record<string, T> {
  const others = Object.entries(record).filter(([other]) => other !== key);
  const entries = others.slice(-(maximum - 1));
  if (value !== undefined) entries.push([key, value]);
  return Object.fromEntries(entries);
}
