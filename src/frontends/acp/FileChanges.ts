import type { DiffReview, EditorHost } from '../../core/host/Host.ts';

/** A file before and after; `oldText` null where there was none. `path` is absolute. */
export interface FileChange {
  path: string;
  oldText: string | null;
  newText: string;
}

/** Characters of both sides past which a change is shown by its patch alone. */
const LARGEST = 2_000_000;

/**
 * The whole texts of what is proposed and of what landed, for the diffs that a client shows; the journal keeps patches only.
 * It is the host's editor: a proposal is "opened" here, and the client shows it with the permission that it is asked for.
 */
export class FileChanges implements EditorHost {
  readonly #proposed = new Map<string, FileChange>();
  #written: FileChange[] = [];

  openDiff({ path, before, after }: Parameters<EditorHost['openDiff']>[0]): Promise<DiffReview> {
    if ((before?.length ?? 0) + after.length <= LARGEST)
      this.#proposed.set(path, { path, oldText: before, newText: after });
    return Promise.resolve({
      text: () => Promise.resolve(after),
      close: () => {
        this.#proposed.delete(path);
        return Promise.resolve();
      },
    });
  }

  facts(): Promise<{ visibleFiles: string[]; openTabs: string[] }> {
    return Promise.resolve({ visibleFiles: [], openTabs: [] });
  }

  /** What waits for an answer on these files. */
  proposed(paths: readonly string[]): FileChange[] {
    return paths.flatMap((path) => this.#proposed.get(path) ?? []);
  }

  noteWritten(path: string, before: Uint8Array | null, after: Uint8Array): void {
    if ((before?.length ?? 0) + after.length > LARGEST) return;
    const oldText = before && textOf(before);
    const newText = textOf(after);
    if (oldText !== undefined && newText !== undefined) this.#written.push({ path, oldText, newText });
  }

  /** What landed since this was asked last. Calls that write run one after the other. */
  takeWritten(): FileChange[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }
}

/** UTF-8 text without its mark; undefined for anything else. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
