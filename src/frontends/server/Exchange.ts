import type { FinishReason } from '../../shared/events.ts';
import type { Message } from '../../shared/strings.ts';
import { GrowingText } from './GrowingText.ts';

export type ExchangeEnd =
  { type: 'done'; reason?: FinishReason } | { type: 'error'; message: Message | undefined };

/** A message of the person and the text that answers it, as it grows. */
export class Exchange {
  /** What the journal holds of the answer. */
  answer = '';
  /** The number of the entry that the answer has for its id; undefined before the model was asked. */
  answerId: number | undefined;
  end: ExchangeEnd | undefined;
  readonly #listeners = new Set<() => void>();
  /** The answer as far as it came: a client that has its first n characters goes on with the rest. It only ever grows. */
  readonly shown = new GrowingText();
  /** The request that the end of the shown text is of. */
  #request: string | undefined;

  constructor(
    /** The number of the person's message in the journal. */
    readonly id: number,
    readonly question: string,
  ) {}

  /** Hears that there is more, or that it has ended. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  answeredBy(seq: number): void {
    this.answerId ??= seq;
  }

  /** Text while it comes. */
  stream(requestId: string, text: string): void {
    const first = this.#request !== requestId;
    // Blanks before the first word wait for it: often a call follows, and no word.
    const words = first ? text.trimStart() : text;
    if (words === '') return;
    this.#request = requestId;
    if (first) this.shown.append(gapBehind(this.shown.from(this.shown.length - 1)));
    this.shown.append(words);
    this.#tell();
  }

  /** The whole text of a request: whatever of it was not streamed is shown now. */
  said(requestId: string, text: string): void {
    this.#request = requestId;
    const words = text.trimStart();
    if (words === '') return;
    this.answer += gapBehind(this.answer) + words;
    if (this.answer.length <= this.shown.length || !this.answer.startsWith(this.shown.from(0))) return;
    this.shown.append(this.answer.slice(this.shown.length));
    this.#tell();
  }

  finish(end: ExchangeEnd): void {
    if (this.end) return;
    this.end = end;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What two requests said is two paragraphs. */
function gapBehind(before: string): string {
  return before === '' || before.endsWith('\n') ? '' : '\n\n';
}
