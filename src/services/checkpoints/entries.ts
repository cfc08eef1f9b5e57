/** What a saved folder holds under a name. Hashes are SHA-256 of the content, hex; modes are permission bits. */
export type SavedEntry =
  | { kind: 'file'; mode: number; hash: string; size: number }
  | { kind: 'link'; target: string }
  | { kind: 'folder'; mode: number; hash: string };

export type SavedFolder = ReadonlyMap<string, SavedEntry>;

/** Sets a folder's object apart from a file that happens to hold the same text. */
const PREFIX = 'lathe-folder\0';

/** A folder as an object: the same content gives the same bytes. */
export function encodeFolder(folder: SavedFolder): Buffer {
  const names = [...folder.keys()].sort();
  const rows = names.map((name) => {
    const entry = folder.get(name);
    switch (entry?.kind) {
      case 'file':
        return [name, 'f', entry.mode, entry.hash, entry.size];
      case 'link':
        return [name, 'l', entry.target];
      case 'folder':
        return [name, 'd', entry.mode, entry.hash];
      case undefined:
        throw new Error(`no entry ${name}`);
    }
  });
  return Buffer.from(PREFIX + JSON.stringify(rows));
}

/** @throws Error when the bytes are no folder */
export function decodeFolder(bytes: Buffer): Map<string, SavedEntry> {
  const text = bytes.toString('utf8');
  if (!text.startsWith(PREFIX)) throw new Error('a saved folder is damaged');
  const rows = JSON.parse(text.slice(PREFIX.length)) as [string, string, ...unknown[]][];
  return new Map(rows.map(([name, kind, ...rest]) => [name, entryOf(kind, rest)]));
}

function entryOf(kind: string, rest: readonly unknown[]): SavedEntry {
  const [first, second, third] = rest;
  if (kind === 'l' && typeof first === 'string') return { kind: 'link', target: first };
  if (typeof first === 'number' && typeof second === 'string') {
    if (kind === 'd') return { kind: 'folder', mode: first, hash: second };
    if (kind === 'f' && typeof third === 'number')
      return { kind: 'file', mode: first, hash: second, size: third };
  }
  throw new Error('a saved folder is damaged');
}

export function sameEntry(a: SavedEntry | undefined, b: SavedEntry | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === a.kind && a.mode === b.mode && a.hash === b.hash;
}
