import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const zip = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
  '.map': 'application/json',
};

/** Chunks have their content in their names. */
const HASHED = /-[A-Z0-9]{8}\.js$/;

interface PageFile {
  bytes: Buffer;
  /** The same, compressed. */
  zipped: Buffer;
  type: string;
  tag: string;
}

/** The built files of the page. What is served are the files that the folder has, by their names: a path leads nowhere. */
export class PageFiles {
  readonly #folder: string;
  readonly #known = new Map<string, PageFile>();
  #names: Promise<ReadonlySet<string>> | undefined;

  /** Absolute path of a folder that is built once, and has no folders in it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where the folder has no such file. */
  async answer(name: string, asked: Headers): Promise<Response | undefined> {
    const file = await this.#file(name);
    if (!file) return undefined;
    const zips = /\bgzip\b/.test(asked.get('accept-encoding') ?? '');
    const headers = {
      'content-type': file.type,
      'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      etag: file.tag,
      vary: 'accept-encoding',
    };
    if (asked.get('if-none-match') === file.tag) return new Response(null, { status: 304, headers });
    return zips
      ? new Response(new Uint8Array(file.zipped), { headers: { ...headers, 'content-encoding': 'gzip' } })
      : new Response(new Uint8Array(file.bytes), { headers });
  }

  async #file(name: string): Promise<PageFile | undefined> {
    const known = this.#known.get(name);
    if (known) return known;
    const type = types[extname(name)];
    this.#names ??= readdir(this.#folder).then((names) => new Set(names));
    if (type === undefined || !(await this.#names).has(name)) return undefined;
    const bytes = await readFile(join(this.#folder, name));
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const file = { bytes, type, tag, zipped: await zip(bytes) };
    this.#known.set(name, file);
    return file;
  }
}
