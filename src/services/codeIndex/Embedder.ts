/** A service that turns text into vectors: any with OpenAI's `/embeddings`, as Ollama, LM Studio and llama.cpp have it. */
export interface EmbedderOptions {
  /** Up to before `/embeddings`: `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  key: string | undefined;
}

/** The service could not be reached, or did not answer with vectors. The message says which, in words for the model. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError';
}

/** Milliseconds for one request, and bytes of its answer. */
const PATIENCE = 60_000;
const LARGEST = 64 * 1024 * 1024;

/**
 * One vector for each text, of length 1 and in steps of 1/127: the product of two is 127² times the cosine between them.
 * @throws EmbedderError, or the signal's reason
 */
export async function embed(
  { url, model, key }: EmbedderOptions,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Int8Array[]> {
  const deadline = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      // A key must not follow to another place.
      redirect: 'error',
    });
    if (!response.ok) throw new EmbedderError(`the embedder answered with status ${response.status}`);
    return vectorsIn(await bounded(response), texts.length);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EmbedderError) throw error;
    if (deadline.aborted) throw new EmbedderError('the embedder did not answer in time', { cause: error });
    // fetch throws a TypeError for what it cannot reach, and for an address that is none.
    if (error instanceof TypeError)
      throw new EmbedderError('the embedder cannot be reached', { cause: error });
    if (error instanceof SyntaxError)
      throw new EmbedderError('the embedder’s answer is no JSON', { cause: error });
    throw error;
  }
}

async function bounded(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > LARGEST) throw new EmbedderError('the embedder’s answer is too long');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString()) as unknown;
}

function vectorsIn(answer: unknown, count: number): Int8Array[] {
  const data = fieldOf(answer, 'data');
  if (!Array.isArray(data) || data.length !== count)
    throw new EmbedderError('the embedder’s answer does not hold one vector for each text');
  const vectors: Int8Array[] = [];
  for (const [index, item] of (data as unknown[]).entries()) {
    const numbers = fieldOf(item, 'embedding');
    const at = fieldOf(item, 'index') ?? index;
    if (!Array.isArray(numbers) || numbers.length === 0 || typeof at !== 'number' || !(at >= 0 && at < count))
      throw new EmbedderError('the embedder’s answer does not hold one vector for each text');
    vectors[at] = quantized(numbers as unknown[]);
  }
  return vectors;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function quantized(values: readonly unknown[]): Int8Array {
  const numbers = values.map((value) => (typeof value === 'number' && Number.isFinite(value) ? value : 0));
  const length = Math.hypot(...numbers) || 1;
  return Int8Array.from(numbers, (value) => Math.round((value / length) * 127));
}
