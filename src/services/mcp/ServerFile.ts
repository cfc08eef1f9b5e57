import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parseTree,
  type JSONPath,
} from 'jsonc-parser/lib/esm/main.js';
import * as z from 'zod';
import { parseJsonc } from './jsonc.ts';

const rootSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.unknown()).optional(),
  servers: z.record(z.string(), z.unknown()).optional(),
});

/** A file that names servers, changed entry by entry: comments, order and what else stands in it stay. */
export class ServerFile {
  readonly #path: string;

  /** `path`: absolute; the file need not exist. */
  constructor(path: string) {
    this.#path = path;
  }

  /** An entry as it is written; undefined when there is none. @throws SyntaxError for a file that is no JSON */
  async entry(name: string): Promise<unknown> {
    const { entries } = this.#rootOf(await this.#text());
    return entries[name];
  }

  /**
   * Puts an entry in the place of the one with this name, or takes it away. `before`: the name that it has there until now.
   * @throws SyntaxError for a file that is no JSON
   */
  async put(name: string, entry: unknown, before = name): Promise<void> {
    await this.#change([{ path: [name], value: entry }], (text, root) => renamed(text, [root, before], name));
  }

  /** Sets keys of an entry; undefined takes a key away. @throws SyntaxError for a file that is no JSON */
  async set(name: string, keys: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#change(Object.entries(keys).map(([key, value]) => ({ path: [name, key], value })));
  }

  async #change(
    changes: readonly { path: JSONPath; value: unknown }[],
    first: (text: string, root: string) => string = (text) => text,
  ): Promise<void> {
    const read = await this.#text();
    const { root } = this.#rootOf(read);
    let text = first(read, root);
    const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' };
    for (const { path, value } of changes)
      text = applyEdits(text, modify(text, [root, ...path], value, { formattingOptions }));
    await this.#write(text.endsWith('\n') ? text : `${text}\n`);
  }

  #rootOf(text: string): { root: 'mcpServers' | 'servers'; entries: Readonly<Record<string, unknown>> } {
    const parsed = rootSchema.safeParse(parseJsonc(text));
    if (!parsed.success) throw new SyntaxError('it is not an object with a list of servers');
    const { mcpServers, servers } = parsed.data;
    const root = mcpServers === undefined && servers !== undefined ? 'servers' : 'mcpServers';
    return { root, entries: mcpServers ?? servers ?? {} };
  }

  async #text(): Promise<string> {
    try {
      const text = await readFile(this.#path, 'utf8');
      return text.trim() === '' ? '{}' : text;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
      throw error;
    }
  }

  /** As a whole or not at all. Readable by its owner alone: entries may hold tokens. */
  async #write(text: string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const temporary = `${this.#path}.${randomBytes(6).toString('hex')}.tmp`;
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }
}

/** The property with another key, where it stands: what is written around it stays. */
function renamed(text: string, path: JSONPath, name: string): string {
  const tree = parseTree(text);
  const value = tree && findNodeAtLocation(tree, path);
  const key = value?.parent?.children?.[0];
  if (!key || key.value === name) return text;
  return applyEdits(text, [{ offset: key.offset, length: key.length, content: JSON.stringify(name) }]);
}
