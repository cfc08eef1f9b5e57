import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import type { RestoreProblem } from '../../shared/checkpoints.ts';
import type { TreeChange } from './compareTrees.ts';
import { hashOf, isCode } from './disk.ts';
import type { SavedEntry } from './entries.ts';
import type { ObjectStore } from './ObjectStore.ts';
import { NotAFolder, PinnedTree, temporaryName } from './PinnedTree.ts';

export interface Restored {
  written: number;
  removed: number;
  problems: RestoreProblem[];
}

/**
 * Makes of the workspace what it was: `changes` go from how it is now to how it shall be. Each file is replaced in one step, and only
 * while it still is what it was; nothing is written through a link. What cannot be done is told, and the rest goes on.
 */
export function restoreFiles(root: string, store: ObjectStore, changes: readonly TreeChange[]): Restored {
  const tree = new PinnedTree(root);
  const result: Restored = { written: 0, removed: 0, problems: [] };
  const attempt = (path: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      result.problems.push(problemOf(path, error));
    }
  };
  const isFolder = (entry: SavedEntry | undefined): boolean => entry?.kind === 'folder';
  // Folders must be open to what is done in them; they get their own bits at the end.
  for (const { path, before, after } of changes)
    if (before?.kind === 'folder' && after?.kind === 'folder')
      attempt(path, () => at(tree, path, (target) => chmodFolder(target, after.mode | 0o700)));
  for (const { path, before, after } of changes.toReversed()) {
    if (before === undefined || (after !== undefined && isFolder(before) === isFolder(after))) continue;
    attempt(path, () => {
      at(tree, path, (target) => remove(target, before));
      result.removed++;
    });
  }
  for (const { path, before, after } of changes)
    if (isFolder(after) && !isFolder(before))
      attempt(path, () => tree.in(path.split('/'), true, () => result.written++));
  for (const { path, before, after } of changes) {
    if (after === undefined || after.kind === 'folder') continue;
    attempt(path, () => {
      const content = after.kind === 'file' ? store.read(after.hash) : undefined;
      at(tree, path, (target, folder) => {
        expect(target, expectsNothing(before) ? undefined : before);
        if (after.kind === 'link') placeLink(target, folder, after.target);
        else if (before?.kind === 'file' && before.hash === after.hash) chmodFile(target, after.mode);
        else placeFile(target, folder, content ?? Buffer.alloc(0), after.mode, expectsNothing(before));
      });
      result.written++;
    });
  }
  for (const { path, after } of changes.toReversed())
    if (after?.kind === 'folder')
      attempt(path, () => at(tree, path, (target) => chmodFolder(target, after.mode)));
  return result;
}

function at(tree: PinnedTree, path: string, use: (target: string, folder: string) => void): void {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  tree.in(parts, false, (folder) => use(`${folder}/${name}`, folder));
}

function remove(target: string, before: SavedEntry): void {
  if (before.kind === 'folder') {
    rmdirSync(target);
    return;
  }
  expect(target, before);
  rmSync(target);
}

/** @throws Changed when something else is there */
function expect(target: string, before: SavedEntry | undefined): void {
  const status = lstatSync(target, { throwIfNoEntry: false });
  const same =
    before === undefined || before.kind === 'folder'
      ? status === undefined
      : before.kind === 'link'
        ? status?.isSymbolicLink() === true && readlinkSync(target) === before.target
        : status?.isFile() === true && hashOf(readPlain(target)) === before.hash;
  if (!same) throw new Changed('it has changed meanwhile');
}

class Changed extends Error {
  override readonly name = 'Changed';
}

function readPlain(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Changed('it is no file any more');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** A folder that stood there has been removed by now. */
function expectsNothing(before: SavedEntry | undefined): boolean {
  return before === undefined || before.kind === 'folder';
}

function placeFile(target: string, folder: string, bytes: Uint8Array, mode: number, fresh: boolean): void {
  const temporary = `${folder}/${temporaryName()}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (fresh && linked(temporary, target)) rmSync(temporary);
    else renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A link never takes the place of what has appeared meanwhile, as a rename would; false where there are none. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw new Changed('something has appeared there meanwhile');
    if (isCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV')) return false;
    throw error;
  }
}

function chmodFile(target: string, mode: number): void {
  const file = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function placeLink(target: string, folder: string, to: string): void {
  const temporary = `${folder}/${temporaryName()}`;
  symlinkSync(to, temporary);
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Not through a link that stands there now. */
function chmodFolder(target: string, mode: number): void {
  if (lstatSync(target).isDirectory()) chmodSync(target, mode);
}

function problemOf(path: string, error: unknown): RestoreProblem {
  if (!(error instanceof Error)) throw error;
  const detail = error.message.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
  if (error instanceof Changed || error instanceof NotAFolder) return { path, reason: 'changed', detail };
  if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return { path, reason: 'holds_more', detail };
  if ('code' in error || error.name === 'ObjectError') return { path, reason: 'failed', detail };
  throw error;
}
