import { keptDraftsSchema, type KeptDrafts } from '../../src/shared/editor.ts';
import type { EditorApi } from './editorApi.ts';
import type { Draft } from './state.ts';

/** Drafts that are kept at most; the oldest goes first. */
const MAXIMUM = 50;
const NEW_TASK = 'new';
/** Milliseconds that typing is gathered before the editor is told. */
const GATHER = 200;

/**
 * What must survive a reload of the page: the text being written in each task, and the mode of the next one. It is in the page's own
 * state, which the editor writes down now and then, and is told to the editor, who writes it down at once: a crash loses no more than
 * the last key.
 */
export class Drafts {
  readonly #api: EditorApi;
  /** Pictures are too large for the editor's state: they last as long as the page. */
  readonly #images = new Map<string, Draft['images']>();
  readonly #tell: (kept: KeptDrafts) => void;
  #kept: KeptDrafts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: EditorApi, tell: (kept: KeptDrafts) => void) {
    this.#api = api;
    this.#tell = tell;
    this.#kept = keptDraftsSchema.safeParse(api.getState()).data ?? { drafts: {}, at: 0 };
  }

  /** Takes what the editor has kept, when it is newer than the page's own. */
  adopt(kept: KeptDrafts): void {
    if (kept.at <= this.#kept.at) return;
    this.#kept = kept;
    this.#api.setState(kept);
  }

  get mode(): string | undefined {
    return this.#kept.mode;
  }

  keepMode(mode: string): void {
    this.#keep({ ...this.#kept, mode });
  }

  of(taskId: string | undefined): Draft {
    const key = taskId ?? NEW_TASK;
    return { text: this.#kept.drafts[key] ?? '', images: this.#images.get(key) ?? [] };
  }

  save(taskId: string | undefined, { text, images }: Draft): void {
    const key = taskId ?? NEW_TASK;
    this.#images.set(key, images);
    if (text === (this.#kept.drafts[key] ?? '')) return;
    const others = Object.entries(this.#kept.drafts).filter(([other]) => other !== key);
    const entries = others.slice(-(MAXIMUM - 1));
    if (text !== '') entries.push([key, text]);
    this.#keep({ ...this.#kept, drafts: Object.fromEntries(entries) });
  }

  #keep(kept: KeptDrafts): void {
    this.#kept = { ...kept, at: Date.now() };
    this.#api.setState(this.#kept);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tell(this.#kept);
    }, GATHER);
  }
}
