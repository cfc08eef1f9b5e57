import type { Provider, ProviderEvent, ProviderRequest } from '../../../src/core/provider/Provider.ts';
import { createProvider, type CreateProviderOptions } from '../../../src/providers/registry.ts';
import { services } from '../../../src/providers/services.ts';
import { profileSchema, type Profile, type ProviderId } from '../../../src/shared/settings.ts';
import type { ScriptedModel } from '../../support/ScriptedModel.ts';

export const KEY = 'sk-secret-key-1234567890';

/** Every wire API, with a provider that speaks it. */
export const wires = ['openai-compatible', 'openai', 'responses', 'anthropic', 'google'] as const;
export type WireName = (typeof wires)[number];

/** The provider of a service as the product builds it, its requests going to the scripted model; `own`: as at the service's own address. */
export async function providerOf(
  wire: WireName | ProviderId,
  model: Pick<ScriptedModel, 'url'> | { url: string },
  options: Partial<CreateProviderOptions> & {
    model?: string;
    own?: boolean;
    /** What the profile says besides. */
    profile?: Partial<Profile>;
  } = {},
): Promise<Provider> {
  // OpenAI’s Responses API is spoken at its own address only.
  const { model: name = 'scripted', own = wire === 'responses', profile: more, ...rest } = options;
  const provider: ProviderId = wire === 'responses' ? 'openai' : wire;
  const profile = { name: 'test', provider, model: name, ...more };
  return await createProvider(profileSchema.parse(own ? profile : { ...profile, baseUrl: model.url }), {
    key: KEY,
    idleTimeoutMs: 10_000,
    retryLimit: 0,
    ...(own ? { fetch: redirected(addressOf(profile.provider), model.url) } : {}),
    ...rest,
  });
}

function addressOf(provider: ProviderId): string {
  if (provider === 'tour' || provider === 'vscode-lm') throw new Error(`${provider} has no address`);
  return services[provider].baseUrl;
}

/** Requests to one address go to another, as behind a gateway. */
function redirected(from: string, to: string): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return await fetch(url.replace(from, to), init);
  };
}

export function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    model: 'scripted',
    system: 'You are careful.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ...more,
  };
}

export const TOOLS: NonNullable<ProviderRequest['tools']> = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'list_files',
    description: 'Lists a folder.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

/** All events of one answer. */
export async function eventsOf(
  provider: Provider,
  asked: ProviderRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(asked, signal)) events.push(event);
  return events;
}

export type EndEvent = Extract<ProviderEvent, { type: 'end' }>;

/** An answer put together again from its pieces; the contract's rules on its order are checked on the way. */
export interface Answer {
  text: string;
  reasoning: { text: string; providerMetadata?: Record<string, unknown> }[];
  calls: { tool: string; arguments: string; pieces: number; whole: boolean; signed: boolean }[];
  end: EndEvent;
}

export function answerOf(events: readonly ProviderEvent[]): Answer {
  const answer: Omit<Answer, 'end'> = { text: '', reasoning: [], calls: [] };
  const calls = new Map<string, Answer['calls'][number]>();
  let thought = '';
  let end: EndEvent | undefined;
  for (const event of events) {
    if (end) throw new Error(`${event.type} after the end`);
    switch (event.type) {
      case 'text':
        answer.text += event.text;
        break;
      case 'reasoning':
        thought += event.text;
        break;
      case 'reasoning_end':
        answer.reasoning.push(
          event.providerMetadata
            ? { text: thought, providerMetadata: event.providerMetadata }
            : { text: thought },
        );
        thought = '';
        break;
      case 'tool_call_start': {
        if (calls.has(event.callId)) throw new Error('one id twice');
        const call = { tool: event.tool, arguments: '', pieces: 0, whole: false, signed: false };
        calls.set(event.callId, call);
        answer.calls.push(call);
        break;
      }
      case 'tool_call_delta':
      case 'tool_call_end': {
        const call = calls.get(event.callId);
        if (!call || call.whole) throw new Error(`${event.type} outside of its call`);
        if (event.type === 'tool_call_end') {
          call.whole = true;
          call.signed = JSON.stringify(event.providerMetadata ?? {}).includes('signed');
        } else {
          call.arguments += event.arguments;
          call.pieces++;
        }
        break;
      }
      case 'end':
        end = event;
        break;
      case 'retry':
      case 'retrying':
        break;
    }
  }
  if (!end) throw new Error('no end');
  if (thought !== '') answer.reasoning.push({ text: thought });
  return { ...answer, end };
}

/** Waits for something to be so, for some seconds at most. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 5000; Date.now() < end;) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`never came: ${what}`);
}
