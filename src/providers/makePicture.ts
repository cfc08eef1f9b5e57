import { APICallError } from '@ai-sdk/provider';
import type { PictureRequest, PictureResult } from '../core/provider/pictures.ts';
import * as z from 'zod';
import { requestError, type Asked } from './errors.ts';
import type { WireOptions } from './registry.ts';

/** Milliseconds that a picture may take, and bytes that an answer may have. */
const LIMIT = 5 * 60_000;
const LARGEST = 64 * 1024 * 1024;

/** OpenAI's image API: the picture itself, or where it lies. */
const imagesSchema = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
});
/** OpenRouter's: pictures of a chat's answer. */
const chatSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          images: z.array(z.object({ image_url: z.object({ url: z.string() }) })).nullish(),
        }),
      }),
    )
    .min(1),
});

/** Asks for one picture, in OpenRouter's way or in OpenAI's. Not repeated when it fails: pictures cost, and may have been made. */
export async function makePicture(
  wire: WireOptions,
  request: PictureRequest,
  signal: AbortSignal,
): Promise<PictureResult> {
  if (wire.problem) return { error: wire.problem };
  const whole = AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]);
  const url = isOpenRouter(wire)
    ? `${wire.baseUrl}/chat/completions`
    : `${wire.baseUrl}/images/${request.from ? 'edits' : 'generations'}`;
  const asked: Asked = { provider: wire.name, model: request.model, url, key: wire.key };
  try {
    const answer = await send(wire, url, isOpenRouter(wire) ? chatBody(request) : imagesBody(request), whole);
    const place = isOpenRouter(wire) ? fromChat(answer) : fromImages(answer);
    if (place instanceof Uint8Array) return { bytes: place };
    return { bytes: await download(wire, place, whole) };
  } catch (error) {
    signal.throwIfAborted();
    return { error: requestError(error, asked) };
  }
}

function isOpenRouter({ profile, baseUrl }: WireOptions): boolean {
  return profile.provider === 'openrouter' || new URL(baseUrl).hostname.endsWith('openrouter.ai');
}

function chatBody({ model, prompt, from }: PictureRequest): Record<string, unknown> {
  const content = [
    { type: 'text', text: prompt },
    ...(from
      ? [{ type: 'image_url', image_url: { url: `data:${from.mediaType};base64,${from.data}` } }]
      : []),
  ];
  return { model, modalities: ['image', 'text'], messages: [{ role: 'user', content }] };
}

function imagesBody({ model, prompt, mediaType, from }: PictureRequest): Record<string, unknown> | FormData {
  const fields = {
    model,
    prompt,
    // Each family of models refuses the other's way of saying it.
    ...(model.startsWith('dall-e') ? { response_format: 'b64_json' } : {}),
    ...(model.startsWith('gpt-image') ? { output_format: mediaType.slice('image/'.length) } : {}),
  };
  if (!from) return { ...fields, n: 1 };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const picture = new Blob([Buffer.from(from.data, 'base64')], { type: from.mediaType });
  form.set('image', picture, `image.${from.mediaType.slice('image/'.length)}`);
  return form;
}

async function send(
  { key, fetch }: WireOptions,
  url: string,
  body: Record<string, unknown> | FormData,
  signal: AbortSignal,
): Promise<unknown> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: isForm ? body : JSON.stringify(body),
    signal,
  });
  const text = new TextDecoder().decode(await bytesOf(response));
  if (!response.ok)
    throw new APICallError({
      message: saidIn(text) ?? (text.slice(0, 300) || response.statusText),
      url,
      requestBodyValues: {},
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: text,
    });
  return JSON.parse(text) as unknown;
}

/** The reason in an error's body, in the shape that most services have. */
function saidIn(text: string): string | undefined {
  try {
    return z.object({ error: z.object({ message: z.string() }) }).safeParse(JSON.parse(text)).data?.error
      .message;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return new Uint8Array();
  for await (const part of body) {
    size += part.length;
    if (size > LARGEST) throw new Error(`the answer has more than ${LARGEST} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function fromImages(answer: unknown): Uint8Array | string {
  const [picture] = imagesSchema.parse(answer).data;
  if (picture?.b64_json) return Buffer.from(picture.b64_json, 'base64');
  if (picture?.url) return picture.url;
  throw new Error('the answer holds no picture');
}

function fromChat(answer: unknown): Uint8Array | string {
  const { message } = chatSchema.parse(answer).choices[0] ?? {};
  const url = message?.images?.[0]?.image_url.url;
  if (url === undefined) throw new Error(`the answer holds no picture: ${message?.content ?? ''}`);
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return data === undefined ? url : Buffer.from(data, 'base64');
}

/** A picture that the service names only by its address: encrypted, or at the service itself; without the key. */
async function download(
  { baseUrl, fetch }: WireOptions,
  place: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = new URL(place);
  if (url.protocol !== 'https:' && url.origin !== new URL(baseUrl).origin)
    throw new Error(`the picture lies at an address that is not asked: ${url.origin}`);
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the picture could not be fetched: ${response.status}`);
  return await bytesOf(response);
}
