import { z } from 'zod';
import type { EditorApi } from './editorApi.ts';
import type { Draft } from './state.ts';

const keptSchema = z.object({ drafts: z.record(z.string(), z.string()), mode: z.string().optional() });
type Kept = z.infer<typeof keptSchema>;

/** Drafts that are kept at most; the oldest goes first. */
const MAXIMUM = 50;
const NEW_TASK = 'new';

/** What must survive a reload of the page: the text being written in each task, and the mode of the next one. */
export class Drafts {
  readonly #api: EditorApi;
  /** Pictures are too large for the editor's state: they last as long as the page. */
  readonly #images = new Map<string, Draft['images']>();
  #kept: Kept;

  constructor(api: EditorApi) {
    this.#api = api;
    const parsed = keptSchema.safeParse(api.getState());
    this.#kept = parsed.success ? parsed.data : { drafts: {} };
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

  #keep(kept: Kept): void {
    this.#kept = kept;
    this.#api.setState(kept);
  }
}
