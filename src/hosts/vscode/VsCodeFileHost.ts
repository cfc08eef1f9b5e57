import { sep } from 'node:path';
import * as vscode from 'vscode';
import { FileError, type FileContent, type FileHost, type FileStatus } from '../../core/host/Host.ts';
import { hashOf, NodeFileHost } from '../node/NodeFileHost.ts';
import { unsavedDocuments } from './unsavedDocuments.ts';

/** The disk, and what open editors hold unsaved: reads see it, and a write over it is refused. */
export class VsCodeFileHost implements FileHost {
  readonly #disk = new NodeFileHost();

  status(path: string): Promise<FileStatus | undefined> {
    return this.#disk.status(path);
  }

  async read(path: string, options: { limit: number; signal: AbortSignal }): Promise<FileContent> {
    const document = await this.#unsaved(path);
    if (!document) return await this.#disk.read(path, options);
    const bytes = new TextEncoder().encode(document.getText());
    if (bytes.length > options.limit) throw new FileError('too_large', path);
    return { bytes, hash: hashOf(bytes), unsaved: true };
  }

  readRange(path: string, start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.#disk.readRange(path, start, end, signal);
  }

  async write(path: string, bytes: Uint8Array, expected: string | null): Promise<{ hash: string }> {
    if (await this.#unsaved(path)) throw new FileError('unsaved', path);
    return await this.#disk.write(path, bytes, expected);
  }

  async delete(path: string, expected: string | undefined): Promise<{ trashed: boolean }> {
    if (await this.#unsaved(path)) throw new FileError('unsaved', path);
    if (expected !== undefined) {
      const { bytes } = await this.#disk.read(path, {
        limit: Infinity,
        signal: new AbortController().signal,
      });
      if (hashOf(bytes) !== expected) throw new FileError('changed', path);
    }
    const uri = vscode.Uri.file(path);
    try {
      await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
      return { trashed: true };
    } catch (error) {
      // A machine without a trash, as remote ones are: it was agreed that the file goes.
      if (!(error instanceof vscode.FileSystemError)) throw error;
      return await this.#disk.delete(path, expected);
    }
  }

  list(path: string): Promise<{ name: string; type: FileStatus['type'] }[]> {
    return this.#disk.list(path);
  }

  realPath(path: string): Promise<string> {
    return this.#disk.realPath(path);
  }

  async unsaved(): Promise<string[]> {
    const dirty = unsavedDocuments().filter(({ uri }) => uri.scheme === 'file');
    return await Promise.all(dirty.map(async ({ uri }) => (await this.#realPath(uri.fsPath)) ?? uri.fsPath));
  }

  /** The open document with unsaved changes at this real path or in this folder, also when it was opened by way of a link. */
  async #unsaved(path: string): Promise<vscode.TextDocument | undefined> {
    for (const document of unsavedDocuments()) {
      if (document.uri.scheme !== 'file') continue;
      const opened = [document.uri.fsPath, await this.#realPath(document.uri.fsPath)];
      if (opened.some((one) => one === path || one?.startsWith(path + sep) === true)) return document;
    }
    return undefined;
  }

  /** Undefined where it leads nowhere: such a document is no other file. */
  async #realPath(path: string): Promise<string | undefined> {
    try {
      return await this.#disk.realPath(path);
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }
}
