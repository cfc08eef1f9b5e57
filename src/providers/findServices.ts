import { z } from 'zod';
import type { FoundService } from '../shared/protocol.ts';
import { services } from './registry.ts';

/** Milliseconds that a local service gets to answer: it is there or it is not. */
const PATIENCE = 1500;

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Model services that run on this machine: Ollama and LM Studio, at their usual addresses unless told otherwise. */
export async function findServices(
  places: { provider: 'ollama' | 'lmstudio'; baseUrl: string }[] = [
    { provider: 'ollama', baseUrl: services.ollama.baseUrl },
    { provider: 'lmstudio', baseUrl: services.lmstudio.baseUrl },
  ],
): Promise<FoundService[]> {
  const found = await Promise.all(
    places.map(async ({ provider, baseUrl }) => ({ provider, baseUrl, models: await modelsAt(baseUrl) })),
  );
  return found.filter(({ models }) => models.length > 0);
}

async function modelsAt(baseUrl: string): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.timeout(PATIENCE),
      redirect: 'error',
    });
    if (!response.ok) return [];
    const parsed = modelsSchema.safeParse(await response.json());
    return parsed.success ? parsed.data.data.map(({ id }) => id).filter((id) => !/embed/i.test(id)) : [];
  } catch (error) {
    // Nothing there, or something else that listens on that port: not found either way.
    if (error instanceof Error) return [];
    throw error;
  }
}
