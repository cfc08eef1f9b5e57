import { Thread, threadFile } from '../threads/Thread.ts';
import { DocumentError, type DocumentKind } from './documentKinds.ts';
import type { DocumentRequest } from './documentThread.ts';

/** Milliseconds that one document may take, and after which a thread with nothing to do gives its memory back. */
const LIMIT = 30_000;
const IDLE = 30_000;
/** Megabytes: a document of the largest size, unpacked and as text. */
const HEAP = 512;

const thread = new Thread<DocumentRequest, string>(threadFile(import.meta.url, 'documentThread'), {
  idle: IDLE,
  heap: HEAP,
});

/**
 * The text of a document: the pages of a PDF, paragraphs, rows with tabs between cells, or a notebook's cells. It is taken out in a
 * thread of its own, in bounded time and memory: a document is made by anybody. Rejects with DocumentError, or with the signal's reason.
 */
export async function documentText(
  bytes: Uint8Array,
  kind: DocumentKind,
  signal: AbortSignal,
): Promise<string> {
  const clock = AbortSignal.timeout(LIMIT);
  try {
    return await thread.call({ bytes, kind }, { signal: AbortSignal.any([signal, clock]) });
  } catch (error) {
    signal.throwIfAborted();
    if (clock.aborted) {
      // Nothing else stops a thread in the middle of its work.
      await thread.dispose();
      throw new DocumentError(`it took longer than ${LIMIT / 1000} seconds`, { cause: error });
    }
    // What the thread threw comes over by its name.
    if (error instanceof Error && error.name === 'DocumentError')
      throw new DocumentError(error.message, { cause: error });
    if (error instanceof Error && error.name === 'ThreadEnded')
      throw new DocumentError('it takes more memory than there is for it', { cause: error });
    throw error;
  }
}
