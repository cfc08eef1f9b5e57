import { inflateRawSync } from 'node:zlib';

/** An archive that cannot be read: damaged, encrypted, or too large once unpacked. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/** Bytes of one entry once unpacked: a small archive can hold a large one. */
const LARGEST_ENTRY = 64 * 1024 * 1024;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;
const LONGEST_COMMENT = 0xffff;

/** Reads entries of a zip archive by name, as UTF-8 text. */
export class ZipEntries {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, { offset: number; size: number; method: number }>();

  /** @throws ZipError when it is no archive */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#readDirectory();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ZipError('its directory is damaged', { cause: error });
    }
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The entry's text, or undefined when there is none. @throws ZipError */
  text(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    try {
      const start =
        entry.offset +
        LOCAL_SIZE +
        this.#bytes.readUInt16LE(entry.offset + 26) +
        this.#bytes.readUInt16LE(entry.offset + 28);
      const packed = this.#bytes.subarray(start, start + entry.size);
      if (entry.method === 0) return packed.toString('utf8');
      if (entry.method === 8)
        return inflateRawSync(packed, { maxOutputLength: LARGEST_ENTRY }).toString('utf8');
    } catch (error) {
      throw new ZipError(`${name} cannot be unpacked`, { cause: error });
    }
    throw new ZipError(`${name} is packed in a way that is not known (${entry.method})`);
  }

  #readDirectory(): void {
    const bytes = this.#bytes;
    const first = Math.max(0, bytes.length - END_SIZE - LONGEST_COMMENT);
    let end = bytes.length - END_SIZE;
    while (end >= first && bytes.readUInt32LE(end) !== END_SIGNATURE) end--;
    if (end < first) throw new ZipError('it is no zip archive');
    let at = bytes.readUInt32LE(end + 16);
    for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
      if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new ZipError('its directory is damaged');
      if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw new ZipError('it is encrypted');
      const nameLength = bytes.readUInt16LE(at + 28);
      const name = bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + nameLength).toString('utf8');
      this.#entries.set(name, {
        method: bytes.readUInt16LE(at + 10),
        size: bytes.readUInt32LE(at + 20),
        offset: bytes.readUInt32LE(at + 42),
      });
      at += ENTRY_SIZE + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }
}
