import { join } from 'node:path';
import type { ModeConfig } from '../../shared/modes.ts';
import type { Scope } from '../../shared/customModes.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { ToolError } from '../tools/ToolError.ts';
import type { FileGate } from './FileGate.ts';

export interface AgentText {
  text: string;
  /** Bytes on the disk. */
  size: number;
  /** SHA-256 of the bytes, hex: what a write must still find. */
  hash: string;
}

/** The gate asks for a mode; reading is the same in all. */
const READING: ModeConfig = { slug: 'reading', name: 'Reading', roleDefinition: 'none', groups: [] };

/** Bidi controls, tag characters and other marks that steer a model and that no reviewer sees. */
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * A folder with what people wrote for agents: modes, commands, rules. Those of a workspace are read through its gate: what is hidden,
 * may hold secrets or lies outside (a link in a cloned repository) is not sent anywhere.
 */
export class AgentFolder {
  readonly scope: Scope;
  readonly root: string;
  readonly #files: FileHost;
  readonly #gate: FileGate | undefined;

  private constructor(root: string, files: FileHost, gate: FileGate | undefined, scope: Scope) {
    this.root = root;
    this.scope = scope;
    this.#files = files;
    this.#gate = gate;
  }

  static ofProject(root: string, files: FileHost, gate: FileGate): AgentFolder {
    return new AgentFolder(root, files, gate, 'project');
  }

  /** LATHE_HOME: the person's own, and no gate before it. */
  static ofPerson(home: string, files: FileHost): AgentFolder {
    return new AgentFolder(home, files, undefined, 'global');
  }

  path(origin: string): string {
    return join(this.root, origin);
  }

  /** The file's text, UTF-8; undefined when there is no such file. @throws FileError, ToolError when it cannot be used */
  async text(origin: string, limit: number, signal: AbortSignal): Promise<AgentText | undefined> {
    const status = await this.#files.status(this.path(origin));
    if (status === undefined) return undefined;
    const { bytes, hash } = await this.#files.read(await this.locate(origin, signal), { limit, signal });
    return { text: decode(bytes).replaceAll('\r\n', '\n'), size: bytes.length, hash };
  }

  /** Replaces or creates the file. `expected`: the hash of what it holds; null when there is none. @throws FileError, ToolError */
  async write(origin: string, text: string, expected: string | null, signal: AbortSignal): Promise<void> {
    await this.#files.write(await this.locate(origin, signal), new TextEncoder().encode(text), expected);
  }

  /** A file, or the files of a folder by name, that have one of these endings; none where there is neither. */
  async origins(origin: string, endings: RegExp): Promise<string[]> {
    const status = await this.#files.status(this.path(origin));
    if (status?.type === 'file') return [origin];
    if (status?.type !== 'folder') return [];
    const entries = await this.#files.list(this.path(origin));
    const names = entries
      .filter(({ name, type }) => type === 'file' && endings.test(name))
      .map(({ name }) => name);
    return names.sort().map((name) => `${origin}/${name}`);
  }

  /** What stands in a folder, by name; nothing where there is none. */
  async names(origin: string): Promise<string[]> {
    const status = await this.#files.status(this.path(origin));
    if (status?.type !== 'folder') return [];
    const entries = await this.#files.list(this.path(origin));
    return entries.map(({ name }) => name).sort();
  }

  /** Where it really is. @throws FileError, ToolError when it may not be used */
  async locate(origin: string, signal: AbortSignal): Promise<string> {
    if (!this.#gate) return await this.#files.realPath(this.path(origin));
    const gated = await this.#gate.resolve(origin, 'read', READING, signal);
    const { real, insideWorkspace, protected: secret } = gated;
    if (!insideWorkspace || secret)
      throw new ToolError(`${real} is ${insideWorkspace ? 'a place for secrets' : 'outside the workspace'}`);
    return real;
  }
}

/** Why a file is passed over. Anything but what a file can do wrong is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileError || error instanceof ToolError) return error.message;
  throw error;
}

/** The text with the characters that nobody sees written out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (mark) =>
    mark === '\n' || mark === '\t' ? mark : `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new ToolError('it is not UTF-8 text', { cause: error });
    throw error;
  }
}
