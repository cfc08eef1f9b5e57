import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { syncFolder } from './disk.ts';

/** Where an object stands in its pack: bytes from the start, and how many. */
export interface Place {
  offset: number;
  stored: number;
  deflated: boolean;
}

/** The end of a pack: length of the index before it (4 bytes), SHA-256 of the index (32), and this word. */
export const MAGIC = 'LPACK001';
export const FOOTER = 36 + MAGIC.length;

/** Bytes that are gathered before they are written. */
const BLOCK = 1024 * 1024;
/** Below this nothing is gained, and this much of the start says whether a larger object shrinks. */
const WORTHWHILE = 256;
const SAMPLE = 16 * 1024;

/** One pack in the making. Nobody sees it before `commit`; what a killed process leaves is swept. */
export class PackWriter {
  readonly #folder: string;
  readonly #name: string;
  readonly #temporary: string;
  readonly #committed: (objects: Map<string, Place>, size: number) => void;
  readonly #objects = new Map<string, Place>();
  #file: number | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;

  constructor(folder: string, name: string, committed: (objects: Map<string, Place>, size: number) => void) {
    this.#folder = folder;
    this.#name = name;
    this.#temporary = join(folder, `${name}.${randomBytes(4).toString('hex')}.tmp`);
    this.#committed = committed;
  }

  has(hash: string): boolean {
    return this.#objects.has(hash);
  }

  put(hash: string, bytes: Uint8Array): void {
    if (this.#objects.has(hash)) return;
    const deflated = shrinks(bytes) ? deflateRawSync(bytes, { level: 1 }) : undefined;
    const stored = deflated !== undefined && deflated.length < bytes.length ? deflated : bytes;
    this.#objects.set(hash, {
      offset: this.#size,
      stored: stored.length,
      deflated: stored === deflated,
    });
    this.#append(stored);
    if (this.#waitingBytes >= BLOCK) this.#flush();
  }

  /** On the disk when this returns; with nothing to keep, no file is made. */
  commit(): void {
    if (this.#objects.size === 0) return;
    const rows = Array.from(this.#objects, ([hash, { offset, stored, deflated }]) => [
      ...[hash, offset, stored],
      deflated ? 1 : 0,
    ]);
    const index = Buffer.from(JSON.stringify(rows));
    const footer = Buffer.alloc(FOOTER);
    footer.writeUInt32LE(index.length, 0);
    createHash('sha256').update(index).digest().copy(footer, 4);
    footer.write(MAGIC, 36, 'latin1');
    this.#append(index);
    this.#append(footer);
    this.#flush();
    const file = this.#open();
    fsyncSync(file);
    closeSync(file);
    this.#file = undefined;
    renameSync(this.#temporary, join(this.#folder, this.#name));
    syncFolder(this.#folder);
    this.#committed(this.#objects, this.#size);
  }

  /** Leaves nothing behind. */
  abandon(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#temporary, { force: true });
  }

  #append(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#size += bytes.length;
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const file = this.#open();
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  }

  #open(): number {
    this.#file ??= openSync(this.#temporary, 'wx', 0o600);
    return this.#file;
  }
}

/** Pictures, archives and the like do not: their start says so. */
function shrinks(bytes: Uint8Array): boolean {
  if (bytes.length < WORTHWHILE) return false;
  if (bytes.length <= 2 * SAMPLE) return true;
  const sample = bytes.subarray(0, SAMPLE);
  return deflateRawSync(sample, { level: 1 }).length < SAMPLE * 0.9;
}
