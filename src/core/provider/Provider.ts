import type { PictureRequest, PictureResult } from './pictures.ts';
import type { Image, RequestError, StopReason, Usage } from '../../shared/events.ts';

type ProviderMetadata = Record<string, unknown>;

/** A request's messages, neutral of any wire API. Consecutive messages of one role never occur. */
export type ProviderMessage =
  { role: 'user'; content: UserPart[] } | { role: 'assistant'; content: AssistantPart[] };

export type UserPart =
  | { type: 'text'; text: string }
  | ({ type: 'image' } & Image)
  /** The result of a native call of the assistant message before it. These come first in a user message. */
  | {
      type: 'tool_result';
      callId: string;
      tool: string;
      content: ({ type: 'text'; text: string } | ({ type: 'image' } & Image))[];
      isError: boolean;
    };

export type AssistantPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; providerMetadata?: ProviderMetadata }
  | {
      type: 'tool_call';
      callId: string;
      tool: string;
      arguments: Record<string, unknown>;
      providerMetadata?: ProviderMetadata;
    };

/** A function for native calls. `parameters` is a flat JSON schema object. */
export interface NativeTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** All that a request says. Rendered the same way it hashes the same: see core/task/apiMessages. */
export interface ProviderRequest {
  model: string;
  system: string;
  messages: ProviderMessage[];
  /** Present in the native protocol only. */
  tools?: NativeTool[];
  maxOutputTokens?: number;
  temperature?: number;
  reasoningEffort?: 'low' | 'medium' | 'high';
  /** The task's id, for providers that route by it to keep their cache warm. Says nothing about the person. */
  cacheKey?: string;
}

/** What a stream gives. After `end` nothing follows. */
export type ProviderEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A reasoning part is whole; `providerMetadata` must be sent back with it. */
  | { type: 'reasoning_end'; providerMetadata?: ProviderMetadata }
  | { type: 'tool_call_start'; callId: string; tool: string }
  | { type: 'tool_call_delta'; callId: string; arguments: string }
  | { type: 'tool_call_end'; callId: string; providerMetadata?: ProviderMetadata }
  /** A failed attempt that will be tried again at `retryAt` (epoch ms); from the retry wrapper only, before any content came. */
  | { type: 'retry'; attempt: number; error: RequestError; retryAt: number }
  /** The request goes out again. */
  | { type: 'retrying'; attempt: number }
  | { type: 'end'; stopReason: StopReason; usage?: Usage; error?: RequestError };

/** What a model can do and costs, from the provider or from the offline table. */
export interface ModelFacts {
  /** Tokens. */
  contextWindow?: number;
  images: boolean;
  nativeTools: boolean;
}

/**
 * One wire API with one person's key and address.
 * `stream` never throws once called: failures are its `end`. A stream that ends without a finish reason, or breaks after
 * content came, ends with `cut`. An aborted one ends with `aborted`. It ends within the idle timer when no byte comes.
 */
export interface Provider {
  readonly id: string;
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  facts(model: string): ModelFacts;
  /** Absent where no such model can be asked. Rejects with the signal's reason when aborted; every other failure is its result. */
  makePicture?: ((request: PictureRequest, signal: AbortSignal) => Promise<PictureResult>) | undefined;
}
