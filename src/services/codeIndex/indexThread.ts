import { answerCalls } from '../threads/answerCalls.ts';
import type { ProxyPlaces } from '../proxy/ProxyPlaces.ts';
import type { EmbedderOptions } from './Embedder.ts';
import { FolderIndex, type CodePlace, type IndexProgress } from './FolderIndex.ts';

export interface IndexRequest {
  /** The folder, absolute, and the file of its index. */
  root: string;
  database: string;
  /** Every file of the folder that may be found, relative to it with `/`. */
  files: string[];
  question: string;
  /** Only what is below: `src/`; empty for all. */
  prefix: string;
  limit: number;
  /** Milliseconds to wait for what has changed before answering from what there is. */
  patience: number;
  /** What makes vectors beside the words; undefined for words alone. */
  embedder: (EmbedderOptions & { proxies: ProxyPlaces | undefined }) | undefined;
}

export interface IndexAnswer extends IndexProgress {
  places: CodePlace[];
  /** Why meaning did not count, though there is an embedder. */
  problem?: string;
}

const indexes = new Map<string, FolderIndex>();
/** Where requests of this thread leave by, once there was one that does not leave directly. */
let leaving: Promise<void> | undefined;

/** A thread has a `fetch` of its own: what its process was told does not count in it. */
async function leaveBy(proxies: ProxyPlaces): Promise<void> {
  (await import('../proxy/sendThrough.ts')).sendThrough(proxies);
}

answerCalls(async (request, { signal, progress }): Promise<IndexAnswer> => {
  const { root, database, files, question, prefix, limit, patience, embedder } = request as IndexRequest;
  if (embedder?.proxies) await (leaving ??= leaveBy(embedder.proxies));
  let index = indexes.get(database);
  if (!index) indexes.set(database, (index = new FolderIndex(root, database)));
  const answer = async (index: FolderIndex): Promise<IndexAnswer> => {
    await index.update(files, patience, signal, progress);
    const found = await index.search(question, prefix, limit, new Set(files), embedder, signal);
    return { ...found, ...index.progress };
  };
  try {
    return await answer(index);
  } catch (error) {
    if (!index.reset(error)) throw error;
    return await answer(index);
  }
});
