import type { SessionUpdate } from '@agentclientprotocol/sdk';

/**
 * The agent's words as chunks. A block of text is a message of its own; white space at its end is held back until more follows,
 * since what stands there is often the gap before a call.
 */
export class MessageText {
  readonly #send: (update: SessionUpdate) => void;
  readonly #streamed = new Set<string>();
  #open = '';
  #space = '';
  #begun = false;
  /** The last chunk's message, while nothing else came between: clients without message ids would glue two together. */
  #last: string | undefined;

  constructor(send: (update: SessionUpdate) => void) {
    this.#send = send;
  }

  stream(requestId: string, block: number, text: string): void {
    const messageId = `${requestId}-${block}`;
    if (this.#open !== messageId) {
      this.#open = messageId;
      this.#space = '';
      this.#begun = false;
      this.#streamed.add(messageId);
    }
    const whole = this.#space + text;
    const words = whole.trimEnd();
    if (words === '') {
      this.#space = whole;
      return;
    }
    this.#space = whole.slice(words.length);
    this.#chunk(messageId, this.#begun ? words : words.trimStart());
    this.#begun = true;
  }

  /** A block that is known whole: shown unless it streamed. */
  once(requestId: string, block: number, text: string): void {
    const messageId = `${requestId}-${block}`;
    if (!this.#streamed.delete(messageId)) this.whole(messageId, text);
  }

  whole(messageId: string, text: string): void {
    if (text.trim() !== '') this.#chunk(messageId, text.trim());
  }

  thought(requestId: string, text: string): void {
    this.#streamed.add(thoughtId(requestId));
    this.#last = undefined;
    this.#send({
      sessionUpdate: 'agent_thought_chunk',
      messageId: thoughtId(requestId),
      content: { type: 'text', text },
    });
  }

  thoughtOnce(requestId: string, text: string): void {
    if (!this.#streamed.delete(thoughtId(requestId)) && text !== '') {
      this.thought(requestId, text);
      this.#streamed.delete(thoughtId(requestId));
    }
  }

  /** Something else is shown between. */
  interrupted(): void {
    this.#last = undefined;
  }

  #chunk(messageId: string, text: string): void {
    const gap = this.#last !== undefined && this.#last !== messageId ? '\n\n' : '';
    this.#last = messageId;
    this.#send({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: { type: 'text', text: `${gap}${text}` },
    });
  }
}

function thoughtId(requestId: string): string {
  return `${requestId}-thought`;
}
