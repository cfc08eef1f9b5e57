import type { Profile } from '../shared/settings.ts';

/** What is asked for where the profile says nothing: see docs/decisions/0080. */
const TEMPERATURE = 0.7;
const MOST_TOKENS = 16_000;
/** How a service says that it does not take one of them: in words of its own, with one of these. */
const REFUSAL = /temperature|max_tokens|max_completion_tokens|in the completion/i;
const REFUSING: ReadonlySet<number> = new Set([400, 422]);

type Fetch = typeof globalThis.fetch;

/**
 * The temperature and the bound of an answer that a request to a service known only by its address carries when nobody chose them.
 * A model that refuses one of them is asked again without, and is not sent them any more.
 */
export class BodyDefaults {
  readonly #values: Readonly<Record<string, number>>;
  readonly #refusedBy = new Set<string>();

  constructor({ temperature, maxOutputTokens, contextWindow }: Profile) {
    const bound = Math.min(MOST_TOKENS, Math.floor((contextWindow ?? Infinity) / 2));
    this.#values = {
      ...(temperature === undefined ? { temperature: TEMPERATURE } : {}),
      ...(maxOutputTokens === undefined ? { max_tokens: bound } : {}),
    };
  }

  /** The body with what it does not say itself. */
  added(body: Record<string, unknown>): Record<string, unknown> {
    if (this.#refusedBy.has(String(body.model))) return body;
    const missing = Object.entries(this.#values).filter(([name]) => body[name] === undefined);
    return { ...body, ...Object.fromEntries(missing) };
  }

  /** Asks once more, without them, when the answer is that one of them cannot be taken. */
  readonly asking =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      const body = init?.body;
      if (!REFUSING.has(response.status) || typeof body !== 'string') return response;
      const plain = this.#without(JSON.parse(body) as Record<string, unknown>);
      const words = await response.text();
      if (plain === undefined || !REFUSAL.test(words))
        return new Response(words, { status: response.status, headers: response.headers });
      const again = await fetch(input, { ...init, body: JSON.stringify(plain) });
      if (again.ok) this.#refusedBy.add(String(plain.model));
      return again;
    };

  /** Undefined when the body carries none of ours. */
  #without(body: Record<string, unknown>): Record<string, unknown> | undefined {
    const kept = Object.entries(body).filter(([name, value]) => this.#values[name] !== value);
    return kept.length === Object.keys(body).length ? undefined : Object.fromEntries(kept);
  }
}
