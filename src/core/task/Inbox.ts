import type { Attachment, Image } from '../../shared/events.ts';

export interface QueuedMessage {
  text: string;
  images?: Image[] | undefined;
  attachments?: Attachment[] | undefined;
  /** By which its sender knows it. */
  messageId?: string | undefined;
}

/** The person's messages that the task has not taken yet, oldest first. */
export class Inbox {
  readonly #listeners = new Set<(queued: readonly QueuedMessage[]) => void>();
  #messages: QueuedMessage[] = [];

  get messages(): readonly QueuedMessage[] {
    return this.#messages;
  }

  onChange(listener: (queued: readonly QueuedMessage[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add({ text, images, attachments, messageId }: QueuedMessage): void {
    this.#messages.push({
      text,
      ...(images && images.length > 0 ? { images } : {}),
      ...(attachments && attachments.length > 0 ? { attachments } : {}),
      ...(messageId === undefined ? {} : { messageId }),
    });
    this.#changed();
  }

  takeAll(): QueuedMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    if (messages.length > 0) this.#changed();
    return messages;
  }

  /** Takes one back out; undefined when another waits at this place, or none. */
  take(index: number, text: string): QueuedMessage | undefined {
    if (this.#messages[index]?.text !== text) return undefined;
    const [message] = this.#messages.splice(index, 1);
    this.#changed();
    return message;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener(this.#messages);
  }
}
