import * as vscode from 'vscode';

interface Proposal {
  bytes: Uint8Array;
  changedAt: number;
}

/** Holds proposals as writable files that exist only while they are reviewed. */
export class ProposalFileSystem implements vscode.FileSystemProvider {
  readonly #proposals = new Map<string, Proposal>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  put(uri: vscode.Uri, text: string): void {
    this.#proposals.set(uri.toString(), { bytes: new TextEncoder().encode(text), changedAt: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  remove(uri: vscode.Uri): void {
    this.#proposals.delete(uri.toString());
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, changedAt } = this.#get(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: changedAt, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#get(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    this.#get(uri);
    this.#proposals.set(uri.toString(), { bytes: content, changedAt: Date.now() });
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #get(uri: vscode.Uri): Proposal {
    const proposal = this.#proposals.get(uri.toString());
    if (!proposal) throw vscode.FileSystemError.FileNotFound(uri);
    return proposal;
  }
}
