import { RequestError, type AgentContext } from '@agentclientprotocol/sdk';
import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { FileError, type FileContent, type FileHost, type FileStatus } from '../../core/host/Host.ts';
import { textOf, type FileChanges } from './FileChanges.ts';
import { isInside } from './isInside.ts';
import { refusalWords } from './refusalWords.ts';

export interface ClientFilesOptions {
  sessionId: string;
  /** The working directory as the client named it. */
  cwd: string;
  disk: FileHost;
  client: Pick<AgentContext, 'request'>;
  changes: FileChanges;
  /** What the client said it can do; nothing else is asked of it. */
  reads: boolean;
  writes: boolean;
}

/** Codes that say "not mine": then the disk answers. Any other refusal counts. */
const NOT_MINE = [-32002, -32601];

/**
 * The disk, with the client's open documents over it: what it has unsaved is seen, and text inside the working directory is written
 * by the client, so that its editor knows. Everything else is ours: status, folders, bytes, places outside.
 */
export class ClientFiles implements FileHost {
  readonly #options: ClientFilesOptions;
  readonly #disk: FileHost;
  #realCwd: Promise<string> | undefined;

  constructor(options: ClientFilesOptions) {
    this.#options = options;
    this.#disk = options.disk;
  }

  async status(path: string): Promise<FileStatus | undefined> {
    return await this.#disk.status(path);
  }

  async read(path: string, options: { limit: number; signal: AbortSignal }): Promise<FileContent> {
    const onDisk = await this.#disk.read(path, options);
    const name = this.#options.reads ? await this.#clientPath(path) : undefined;
    const text = name === undefined ? undefined : textOf(onDisk.bytes);
    if (name === undefined || text === undefined) return onDisk;
    const open = await this.#clientText(name, options.signal);
    if (open === undefined || sameText(open, text)) return onDisk;
    const bytes = new TextEncoder().encode(open);
    if (bytes.length > options.limit) throw new FileError('too_large', path);
    return { bytes, hash: hashOf(bytes), unsaved: true };
  }

  async readRange(path: string, start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    return await this.#disk.readRange(path, start, end, signal);
  }

  async write(path: string, bytes: Uint8Array, expected: string | null): Promise<{ hash: string }> {
    const { changes, writes } = this.#options;
    const before = expected === null ? null : await this.#bytes(path);
    const name = writes ? await this.#clientPath(path) : undefined;
    const text = name === undefined ? undefined : textOf(bytes);
    const folder = name === undefined ? undefined : await this.#disk.status(dirname(path));
    // A byte order mark is lost in text; a folder that is missing is made by us, one part after the other.
    const byClient = name !== undefined && text !== undefined && !hasMark(bytes) && folder?.type === 'folder';
    const written = byClient
      ? await this.#writeByClient(path, name, text, expected)
      : await this.#disk.write(path, bytes, expected);
    changes.noteWritten(path, before, bytes);
    return written;
  }

  async delete(path: string, expected: string | undefined): Promise<{ trashed: boolean }> {
    return await this.#disk.delete(path, expected);
  }

  async list(path: string): Promise<{ name: string; type: FileStatus['type'] }[]> {
    return await this.#disk.list(path);
  }

  async realPath(path: string): Promise<string> {
    return await this.#disk.realPath(path);
  }

  async #writeByClient(
    path: string,
    name: string,
    content: string,
    expected: string | null,
  ): Promise<{ hash: string }> {
    const { client, sessionId, reads } = this.#options;
    const found = await this.#hash(path);
    if (found !== expected) throw new FileError('changed', path);
    if (reads && expected !== null) {
      const open = await this.#clientText(name, AbortSignal.timeout(30_000));
      const text = textOf((await this.#bytes(path)) ?? new Uint8Array());
      if (open !== undefined && text !== undefined && !sameText(open, text))
        throw new FileError('unsaved', path);
    }
    try {
      await client.request('fs/write_text_file', { sessionId, path: name, content });
    } catch (error) {
      throw refused(error, path);
    }
    // Not what was sent but what is there: a client may format what it saves.
    return { hash: (await this.#hash(path)) ?? hashOf(new TextEncoder().encode(content)) };
  }

  /** What the client shows of the file; undefined when it does not know it. */
  async #clientText(name: string, signal: AbortSignal): Promise<string | undefined> {
    const { client, sessionId } = this.#options;
    try {
      const { content } = await client.request(
        'fs/read_text_file',
        { sessionId, path: name },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return content;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RequestError && NOT_MINE.includes(error.code)) return undefined;
      throw refused(error, name);
    }
  }

  /** The path by the client's own name for the working directory; undefined outside of it. */
  async #clientPath(path: string): Promise<string | undefined> {
    const { cwd } = this.#options;
    this.#realCwd ??= this.#disk.realPath(cwd);
    const real = await this.#realCwd;
    return isInside(path, real) ? join(cwd, relative(real, path)) : undefined;
  }

  async #bytes(path: string): Promise<Uint8Array | null> {
    const status = await this.#disk.status(path);
    if (status?.type !== 'file') return null;
    const { bytes } = await this.#disk.read(path, {
      limit: Number.MAX_SAFE_INTEGER,
      signal: AbortSignal.timeout(30_000),
    });
    return bytes;
  }

  async #hash(path: string): Promise<string | null> {
    const bytes = await this.#bytes(path);
    return bytes && hashOf(bytes);
  }
}

function refused(error: unknown, path: string): unknown {
  if (!(error instanceof RequestError)) return error;
  return new FileError('not_permitted', path, {
    detail: `the editor refused it: ${refusalWords(error)}`,
    cause: error,
  });
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Editors keep lines with plain line feeds and no byte order mark: that alone is no change. */
function sameText(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}
