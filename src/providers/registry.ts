import type { Provider } from '../core/provider/Provider.ts';
import type { RequestError } from '../shared/events.ts';
import type { Profile } from '../shared/settings.ts';
import { message, type Message } from '../shared/strings.ts';
import { RetryingProvider } from './retry.ts';
import { services, type Service, type WireApi } from './services.ts';
import { clock, type Timer } from './Watch.ts';

export interface CreateProviderOptions {
  key: string | undefined;
  idleTimeoutMs: number;
  retryLimit: number;
  /** How requests leave; the platform's own unless given. */
  fetch?: typeof globalThis.fetch;
  /** What the idle timer, the waits between attempts and the tour's pace run on; the platform's own unless given. */
  timer?: Timer;
}

/** What a wire API's own file needs to build its provider. */
export interface WireOptions {
  profile: Profile;
  service: Service;
  baseUrl: string;
  /** For a person: the service's name, or its address where it has none. */
  name: string;
  key: string | undefined;
  idleTimeoutMs: number;
  fetch: typeof globalThis.fetch;
  timer: Timer;
  /** Why no request can go out as things are set up: every stream ends with it. */
  problem: RequestError | undefined;
}

/** The provider of a profile, with retries. Its package is loaded now and not before. `vscode-lm` is the editor's own: hosts/vscode. */
export async function createProvider(
  profile: Profile,
  { key, idleTimeoutMs, retryLimit, fetch = globalThis.fetch, timer = clock }: CreateProviderOptions,
): Promise<Provider> {
  if (profile.provider === 'tour') {
    const { TourProvider } = await import('./tour.ts');
    return new TourProvider(timer);
  }
  if (profile.provider === 'vscode-lm') return (await import('./editorOnly.ts')).editorOnly;
  const service = services[profile.provider];
  const baseUrl = baseUrlOf(profile.baseUrl ?? service.baseUrl);
  const name = service.name === '' ? new URL(baseUrl).host : service.name;
  // Pasted keys come with the end of their line; an empty one is none.
  const trimmed = key?.trim() || undefined;
  const options: WireOptions = {
    profile,
    service,
    baseUrl,
    name,
    key: trimmed,
    idleTimeoutMs,
    fetch,
    timer,
    problem: keyProblem(trimmed, name, !service.local && baseUrl === service.baseUrl),
  };
  const provider = await build(service.wire, options);
  if (service.wire === 'openai' || service.wire === 'openai-compatible')
    provider.makePicture = async (request, signal) =>
      await (await import('./makePicture.ts')).makePicture(options, request, signal);
  return new RetryingProvider(provider, { limit: retryLimit, timer });
}

async function build(wire: WireApi, options: WireOptions): Promise<Provider> {
  switch (wire) {
    case 'anthropic':
      return (await import('./anthropic.ts')).anthropicProvider(options);
    case 'openai':
      return (await import('./openai.ts')).openaiProvider(options);
    case 'google':
      return (await import('./google.ts')).googleProvider(options);
    case 'openai-compatible':
      return (await import('./openaiCompatible.ts')).openaiCompatibleProvider(options);
  }
}

/** The address without what people paste behind it: a slash, or the path of the one endpoint. */
function baseUrlOf(url: string): string {
  return url.trim().replace(/(\/(chat\/completions|completions|messages|responses|models))?\/*$/, '');
}

/** A proxy may want no key; a hosted service at its own address always does. */
function keyProblem(key: string | undefined, provider: string, needed: boolean): RequestError | undefined {
  const problem = (text: Message): RequestError => ({ message: text, retryable: false });
  if (key === undefined) return needed ? problem(message('provider.noKey', { provider })) : undefined;
  // What a header cannot carry would fail inside fetch, with the key in the error's words.
  return /^[\x21-\x7e]+$/.test(key) ? undefined : problem(message('provider.unusableKey', { provider }));
}
