import type { Context } from 'hono';
import type * as z from 'zod';
import { prettifyError } from 'zod';
import { refused } from './refused.ts';

/** A request's JSON in its shape, or why it is refused. */
export async function readJson<T extends z.ZodType>(
  context: Context,
  schema: T,
): Promise<{ data: z.output<T> } | { refusal: Response }> {
  // A page elsewhere can send text/plain without being asked for its origin; JSON it cannot.
  if (!/^application\/json\b/i.test(context.req.header('content-type') ?? ''))
    return { refusal: refused(415, 'the body must be JSON: Content-Type: application/json') };
  let body: unknown;
  try {
    body = await context.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { refusal: refused(400, `the body is no JSON: ${error.message}`) };
  }
  const parsed = schema.safeParse(body);
  return parsed.success ? { data: parsed.data } : { refusal: refused(400, prettifyError(parsed.error)) };
}
