import { decodeFolder, sameEntry, type SavedEntry, type SavedFolder } from './entries.ts';
import type { ObjectStore } from './ObjectStore.ts';

/** One name that two trees hold differently. `path` is relative, with `/`; folders are named for themselves, not for what is in them. */
export interface TreeChange {
  path: string;
  before: SavedEntry | undefined;
  after: SavedEntry | undefined;
}

/** What differs, in the order of the paths' names, a folder before what is in it. @throws ObjectError */
export function compareTrees(store: ObjectStore, before: string, after: string): TreeChange[] {
  const changes: TreeChange[] = [];
  compare(store, '', before, after, changes);
  return changes;
}

function compare(
  store: ObjectStore,
  folder: string,
  before: string | undefined,
  after: string | undefined,
  changes: TreeChange[],
): void {
  if (before === after) return;
  const [first, second] = [folderOf(store, before), folderOf(store, after)];
  for (const name of [...new Set([...first.keys(), ...second.keys()])].sort()) {
    const [one, other] = [first.get(name), second.get(name)];
    if (sameEntry(one, other)) continue;
    const path = folder + name;
    const stays = one?.kind === 'folder' && other?.kind === 'folder';
    if (!stays || one.mode !== other.mode) changes.push({ path, before: one, after: other });
    compare(store, `${path}/`, hashOfFolder(one), hashOfFolder(other), changes);
  }
}

function folderOf(store: ObjectStore, hash: string | undefined): SavedFolder {
  return hash === undefined ? new Map() : decodeFolder(store.read(hash));
}

function hashOfFolder(entry: SavedEntry | undefined): string | undefined {
  return entry?.kind === 'folder' ? entry.hash : undefined;
}

/** Adds the hashes of a tree and of all that is in it; what was added before is not looked at again. */
export function markTree(store: ObjectStore, tree: string, live: Set<string>): void {
  if (live.has(tree)) return;
  live.add(tree);
  for (const entry of decodeFolder(store.read(tree)).values()) {
    if (entry.kind === 'folder') markTree(store, entry.hash, live);
    if (entry.kind === 'file') live.add(entry.hash);
  }
}
