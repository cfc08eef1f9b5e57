import { Thread, threadFile } from '../threads/Thread.ts';
import type { DefinitionsRequest } from './definitionsThread.ts';
import type { Language } from './languages.ts';
import type { Outline } from './Syntax.ts';

/** Milliseconds that the parsing of one file may take, and after which a thread with nothing to do gives its memory back. */
const LIMIT = 20_000;
const IDLE = 60_000;

/** One for the whole process, so that grammars are loaded once; started by the first call. */
const thread = new Thread<DefinitionsRequest, Outline>(threadFile(import.meta.url, 'definitionsThread'), {
  idle: IDLE,
  heap: 256,
});

/**
 * The definitions of a text, parsed in a thread of its own. Rejects with the signal's reason, or with an error that says why the
 * text could not be parsed.
 */
export async function definitions(language: Language, text: string, signal: AbortSignal): Promise<Outline> {
  return await thread.call({ language, text, limit: LIMIT }, { signal });
}
