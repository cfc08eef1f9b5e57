import { embed, EmbedderError, type EmbedderOptions } from './Embedder.ts';
import type { FoundChunk, IndexStore } from './IndexStore.ts';

/** Chunks in one request, and characters of each that are sent: models cut what is longer. */
const BATCH = 32;
const LONGEST = 2000;
/** Chunks that are weighed for one question. */
const NEAREST = 100;
/** Milliseconds that a question waits for vectors of what is new, once all words are in. */
const PATIENCE = 3000;

/** The vectors of an index: made in the background, chunk by chunk, while questions are answered with those there are. */
export class Vectors {
  readonly #store: IndexStore;
  readonly #read: (path: string) => Promise<string | undefined>;
  #working: Promise<void> | undefined;
  /** Whose vectors are kept. */
  #model = '';

  constructor(store: IndexStore, read: (path: string) => Promise<string | undefined>) {
    this.#store = store;
    this.#read = read;
  }

  /** The nearest chunks, or why there are none. `complete`: all words are in the index, so that vectors can follow. */
  async nearest(
    embedder: EmbedderOptions,
    question: string,
    prefix: string,
    complete: boolean,
    signal: AbortSignal,
  ): Promise<{ near: FoundChunk[]; problem?: string }> {
    this.#model = `${embedder.model} ${embedder.url}`;
    this.#store.useEmbedder(this.#model);
    try {
      const [vector] = await embed(embedder, [question], signal);
      if (complete) await this.#catchUp(embedder);
      return { near: vector ? this.#store.nearest(vector, prefix, NEAREST) : [] };
    } catch (error) {
      if (!(error instanceof EmbedderError)) throw error;
      return { near: [], problem: error.message };
    }
  }

  /** Waits a moment for what is at work, which goes on after that. */
  async #catchUp(embedder: EmbedderOptions): Promise<void> {
    if (!this.#working) {
      const working = this.#work(embedder).finally(() => {
        this.#working = undefined;
      });
      // Who waits hears of a failure; the next question begins anew with what is left.
      working.catch(() => undefined);
      this.#working = working;
    }
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE)));
    await Promise.race([this.#working, moment]).finally(() => clearTimeout(timer));
  }

  async #work(embedder: EmbedderOptions): Promise<void> {
    const model = this.#model;
    for (;;) {
      const chunks = this.#store.withoutVector(BATCH);
      if (chunks.length === 0) return;
      const texts = await this.#texts(chunks);
      const vectors = await embed(embedder, texts);
      // Another model was chosen meanwhile: its vectors have nothing to do with these.
      if (this.#model !== model) return;
      this.#store.batch(() => {
        for (const [index, vector] of vectors.entries()) {
          const chunk = chunks[index];
          if (chunk) this.#store.putVector(chunk.id, vector);
        }
      });
    }
  }

  async #texts(chunks: readonly Omit<FoundChunk, 'score'>[]): Promise<string[]> {
    const files = new Map<string, string[]>();
    for (const path of new Set(chunks.map((chunk) => chunk.path)))
      files.set(path, ((await this.#read(path)) ?? '').split('\n'));
    return chunks.map(({ path, name, start, end }) => {
      const lines = files.get(path)?.slice(start - 1, end) ?? [];
      return `${path} ${name}\n${lines.join('\n')}`.slice(0, LONGEST);
    });
  }
}
