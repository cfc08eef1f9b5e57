import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { hashOf, isMissing } from './disk.ts';
import { FOOTER, MAGIC, PackWriter, type Place } from './PackWriter.ts';

/** Packs below this many bytes are put together when there are many of them. */
const SMALL = 1024 * 1024;
const MANY = 40;
/** Share of a pack's bytes that must be in use. */
const IN_USE = 0.6;

interface Pack {
  objects: Map<string, Place>;
  size: number;
}

/** An object that is gone or does not hold what its name says. */
export class ObjectError extends Error {
  override readonly name = 'ObjectError';
}

/**
 * Content by its hash, in packs: files that are written once, whole, and never changed. What is new goes into one pack a save.
 * Who writes or sweeps holds the store's lease; reading needs none.
 */
export class ObjectStore {
  readonly #folder: string;
  readonly #packs = new Map<string, Pack>();
  readonly #places = new Map<string, { pack: string; place: Place }>();

  /** `folder` is made when it is missing. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.refresh();
  }

  /** Bytes on the disk. */
  get size(): number {
    return [...this.#packs.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Bytes that these take. */
  sizeOf(hashes: ReadonlySet<string>): number {
    let sum = 0;
    for (const hash of hashes) sum += this.#places.get(hash)?.place.stored ?? 0;
    return sum;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  /** Looks at what other processes have written or swept. A pack that is no pack is set aside under another name. */
  refresh(): void {
    const names = new Set(readdirSync(this.#folder).filter((name) => name.endsWith('.pack')));
    for (const [name, pack] of this.#packs) if (!names.has(name)) this.#forget(name, pack);
    for (const name of names) if (!this.#packs.has(name)) this.#load(name);
  }

  /** The whole object. @throws ObjectError */
  read(hash: string): Buffer {
    for (const again of [false, true]) {
      // Swept into another pack by another process a moment ago.
      if (again) this.refresh();
      const found = this.#places.get(hash);
      const bytes = found && this.#bytes(found.pack, found.place);
      if (bytes === undefined) continue;
      if (hashOf(bytes) !== hash) throw new ObjectError(`the object ${hash} is damaged`);
      return bytes;
    }
    throw new ObjectError(`the object ${hash} is not kept any more`);
  }

  /** What is to be added: it is there, all of it, when `commit` returns. */
  writer(): PackWriter {
    const name = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.pack`;
    return new PackWriter(this.#folder, name, (objects, size) => this.#add(name, { objects, size }));
  }

  /** Takes away what is not in `live`, and what killed processes left. Under the lease. */
  sweep(live: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder))
      if (name.endsWith('.tmp')) rmSync(join(this.#folder, name), { force: true });
    this.refresh();
    const small = [...this.#packs.values()].filter(({ size }) => size < SMALL).length > MANY;
    const old: string[] = [];
    const kept: string[] = [];
    for (const [name, { objects, size }] of this.#packs) {
      let used = 0;
      for (const [hash, { stored }] of objects) if (this.#isLive(name, hash, live)) used += stored;
      if (used === 0) old.push(name);
      else if (used < size * IN_USE || (small && size < SMALL)) kept.push(name);
    }
    if (kept.length > 0) {
      const writer = this.writer();
      try {
        for (const name of kept)
          for (const hash of this.#packs.get(name)?.objects.keys() ?? [])
            if (this.#isLive(name, hash, live)) writer.put(hash, this.read(hash));
        writer.commit();
      } catch (error) {
        writer.abandon();
        throw error;
      }
    }
    for (const name of [...old, ...kept]) {
      rmSync(join(this.#folder, name), { force: true });
      const pack = this.#packs.get(name);
      if (pack) this.#forget(name, pack);
    }
  }

  #isLive(pack: string, hash: string, live: ReadonlySet<string>): boolean {
    return live.has(hash) && this.#places.get(hash)?.pack === pack;
  }

  #bytes(name: string, { offset, stored, deflated }: Place): Buffer | undefined {
    let file: number;
    try {
      file = openSync(join(this.#folder, name), 'r');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const bytes = readAt(file, offset, stored);
      return deflated ? inflateRawSync(bytes) : bytes;
    } catch (error) {
      throw new ObjectError(`an object of ${name} is damaged`, { cause: error });
    } finally {
      closeSync(file);
    }
  }

  #load(name: string): void {
    const path = join(this.#folder, name);
    try {
      this.#add(name, { objects: readIndex(path), size: statSync(path).size });
    } catch (error) {
      if (isMissing(error)) return;
      if (!(error instanceof ObjectError)) throw error;
      renameSync(path, `${path}.damaged`);
    }
  }

  #add(name: string, pack: Pack): void {
    this.#packs.set(name, pack);
    for (const [hash, place] of pack.objects) this.#places.set(hash, { pack: name, place });
  }

  #forget(name: string, { objects }: Pack): void {
    this.#packs.delete(name);
    for (const hash of objects.keys()) if (this.#places.get(hash)?.pack === name) this.#places.delete(hash);
    // The same object may stand in another pack.
    for (const [other, { objects: others }] of this.#packs)
      for (const hash of objects.keys()) {
        const place = others.get(hash);
        if (place && !this.#places.has(hash)) this.#places.set(hash, { pack: other, place });
      }
  }
}

function readIndex(path: string): Map<string, Place> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size < FOOTER) throw new ObjectError(`${path} is cut off`);
    const footer = readAt(file, size - FOOTER, FOOTER);
    const length = footer.readUInt32LE(0);
    if (footer.toString('latin1', 36) !== MAGIC || length > size - FOOTER)
      throw new ObjectError(`${path} is cut off`);
    const index = readAt(file, size - FOOTER - length, length);
    if (!createHash('sha256').update(index).digest().equals(footer.subarray(4, 36)))
      throw new ObjectError(`the index of ${path} is damaged`);
    const rows = JSON.parse(index.toString('utf8')) as [string, number, number, 0 | 1][];
    return new Map(
      rows.map(([hash, offset, stored, deflated]) => [hash, { offset, stored, deflated: deflated === 1 }]),
    );
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const read = readSync(file, bytes, filled, length - filled, offset + filled);
    if (read === 0) throw new ObjectError('a pack is cut off');
    filled += read;
  }
  return bytes;
}
