import type { Fact, StopReason } from '../../shared/events.ts';
import type { AssistantMessageContent } from '../../shared/tools.ts';
import type { AnswerPiece } from '../assistant-message/recordedAnswer.ts';
import type { ModelFacts, Provider, ProviderEvent } from '../provider/Provider.ts';

/** How long each chunk is; asked again and again. */
export type Chunking = () => number;

interface Recorded {
  pieces: readonly AnswerPiece[];
  content: readonly AssistantMessageContent[];
  reasoning: Extract<Fact, { type: 'assistant_message' }>['reasoning'];
  stopReason: StopReason;
}

/** Says again what a model once said, in chunks of other lengths. */
export class RecordedProvider implements Provider {
  readonly id = 'recorded';
  readonly #recorded: Recorded;
  readonly #chunking: Chunking;

  constructor(recorded: Recorded, chunking: Chunking) {
    this.#recorded = recorded;
    this.#chunking = chunking;
  }

  facts(): ModelFacts {
    return { images: false, nativeTools: true };
  }

  async *stream(): AsyncGenerator<ProviderEvent> {
    const { pieces, content, reasoning, stopReason } = this.#recorded;
    for (const { text, providerMetadata } of reasoning?.parts ?? []) {
      if (text !== '') yield { type: 'reasoning', text };
      yield { type: 'reasoning_end', ...(providerMetadata ? { providerMetadata } : {}) };
    }
    for (const piece of pieces) {
      if (piece.type === 'text') {
        for (const text of this.#chunks(piece.text)) yield { type: 'text', text };
        continue;
      }
      const { id: callId, tool } = piece;
      yield { type: 'tool_call_start', callId, tool };
      for (const text of this.#chunks(piece.arguments))
        yield { type: 'tool_call_delta', callId, arguments: text };
      const call = content.find((block) => block.type === 'tool_use' && block.id === callId);
      const metadata = call?.type === 'tool_use' ? call.providerMetadata : undefined;
      if (piece.ended)
        yield { type: 'tool_call_end', callId, ...(metadata ? { providerMetadata: metadata } : {}) };
    }
    // What is awaited nowhere else: each request of a stream gives way once.
    await Promise.resolve();
    yield { type: 'end', stopReason };
  }

  *#chunks(text: string): Iterable<string> {
    for (let at = 0; at < text.length;) {
      const length = Math.max(1, this.#chunking());
      yield text.slice(at, at + length);
      at += length;
    }
  }
}
