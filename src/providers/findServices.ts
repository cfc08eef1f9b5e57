import * as z from 'zod';
import type { FoundService } from '../shared/protocol.ts';
import { services } from './services.ts';
import { clock, type Timer } from './Watch.ts';

/** Milliseconds that a local service gets to answer: it is there or it is not. */
const PATIENCE = 1500;
/** Bytes of an answer that are read; a list of models is a few thousand. */
const LONGEST_ANSWER = 1_000_000;

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
/** Models that answer with vectors, not with words. */
const EMBEDDER = /embed/i;

export interface FindServicesOptions {
  /** Where to look: Ollama and LM Studio at their usual addresses unless given. */
  places?: { provider: 'ollama' | 'lmstudio'; baseUrl: string }[];
  /** What the patience runs on; the platform's own unless given. */
  timer?: Timer;
}

/** Model services that run on this machine, with the models that they offer. What does not answer as one is not there. */
export async function findServices({
  places = [
    { provider: 'ollama', baseUrl: services.ollama.baseUrl },
    { provider: 'lmstudio', baseUrl: services.lmstudio.baseUrl },
  ],
  timer = clock,
}: FindServicesOptions = {}): Promise<FoundService[]> {
  const found = await Promise.all(
    places.map(async ({ provider, baseUrl }) => ({
      provider,
      baseUrl,
      models: await modelsAt(baseUrl, timer),
    })),
  );
  return found.filter(({ models }) => models.length > 0);
}

async function modelsAt(baseUrl: string, timer: Timer): Promise<string[]> {
  const controller = new AbortController();
  const stop = timer(PATIENCE, () => controller.abort());
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: controller.signal, redirect: 'error' });
    if (!response.ok) return [];
    const parsed = modelsSchema.safeParse(JSON.parse(await textOf(response)));
    return parsed.success ? parsed.data.data.map(({ id }) => id).filter((id) => !EMBEDDER.test(id)) : [];
  } catch (error) {
    // Nothing there, or something else that listens on that port: not found either way.
    if (error instanceof Error) return [];
    throw error;
  } finally {
    stop();
    // What was not read to its end is not waited for.
    controller.abort();
  }
}

/** @throws RangeError past LONGEST_ANSWER */
async function textOf({ body }: Response): Promise<string> {
  let text = '';
  if (!body) return text;
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length > LONGEST_ANSWER) throw new RangeError('no list of models is that long');
  }
  return text;
}
