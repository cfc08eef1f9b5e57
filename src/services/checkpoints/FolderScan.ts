import { lstatSync, readdirSync, readlinkSync, rmSync, type Dirent, type Stats } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashOf, isCode } from './disk.ts';
import { encodeFolder, type SavedEntry } from './entries.ts';
import { GitIgnores } from './GitIgnores.ts';
import { LeftOutList, type LeftOut, type LeftOutReason } from './leftOut.ts';
import type { ObjectStore } from './ObjectStore.ts';
import type { PackWriter } from './PackWriter.ts';
import { isOurTemporary } from './PinnedTree.ts';
import { readSteadily, type FileStamp } from './readSteadily.ts';

export interface ScanLimits {
  /** Bytes of a file. */
  file: number;
  /** Files, folders and links of a workspace, and bytes of them all. */
  entries: number;
  bytes: number;
}

export interface ScanOptions {
  root: string;
  store: ObjectStore;
  writer: PackWriter;
  limits: ScanLimits;
  /** What must not be saved whatever git says; a folder's path ends in `/`. */
  withheld: (path: string) => LeftOutReason | undefined;
  /** Another text when `withheld` may say otherwise than before. */
  withheldStamp: string;
  /** Whether a pattern of git's can be matched in reasonable time. */
  isUsablePattern: (pattern: string) => boolean;
  /** Files that are saved although git ignores them: the agent has edited them. */
  pinned: ReadonlySet<string>;
  signal: AbortSignal;
}

/** The workspace as it is: the hash of its folder object, and what is not in it. */
export interface Scanned {
  tree: string;
  leftOut: LeftOut;
  files: number;
}

/** There is more than a checkpoint may hold. `what` has `count` where the limit is `limit`. */
export class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge';
}

/** What was known of a folder at the last scan. */
export interface FolderNode {
  hash: string;
  children: Map<string, Known>;
  /** What the rules say of the names, valid while they are these. */
  rules: { stamp: string; names: Map<string, LeftOutReason | 'kept'> };
}

export type Known =
  | { kind: 'file'; entry: Extract<SavedEntry, { kind: 'file' }>; stamp: FileStamp }
  | { kind: 'folder'; entry: Extract<SavedEntry, { kind: 'folder' }>; node: FolderNode };

const BREATH = 50;
const CACHE_MARKS = ['CACHEDIR.TAG', 'pyvenv.cfg'];

/**
 * One walk over the workspace. What has the stamp (size, times, inode) that it had at the last walk is not read again; what is new is
 * put into the writer. Links are kept as links, and nothing called `.git` is looked into, ever.
 */
export class FolderScan {
  readonly #options: ScanOptions;
  readonly #leftOut = new LeftOutList();
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #breath = performance.now() + BREATH;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** `before`: what the last walk knew. @throws WorkspaceTooLarge, the file system's error where the root cannot be read */
  async run(before: FolderNode | undefined): Promise<{ scanned: Scanned; node: FolderNode }> {
    const node = await this.#folder('', GitIgnores.none, before, true);
    if (!node) throw new Error(`${this.#options.root} cannot be read`);
    return {
      scanned: { tree: node.hash, leftOut: this.#leftOut.list(), files: this.#files },
      node,
    };
  }

  /**
   * `folder` is relative, with `/` behind it. Where not `all` of it is wanted, only what is pinned is taken. Undefined: it cannot be
   * listed.
   */
  async #folder(
    folder: string,
    outer: GitIgnores,
    before: FolderNode | undefined,
    all: boolean,
  ): Promise<FolderNode | undefined> {
    if (performance.now() > this.#breath) {
      await nextTurn();
      this.#options.signal.throwIfAborted();
      this.#breath = performance.now() + BREATH;
    }
    const { root, isUsablePattern } = this.#options;
    const path = join(root, folder);
    const listed = this.#list(path, folder);
    if (!listed) return undefined;
    const names = new Set(listed.map(({ name }) => name));
    if (all && folder !== '' && CACHE_MARKS.some((mark) => names.has(mark))) {
      this.#leftOut.add(folder, 'cache');
      if (!this.#isPinned(folder)) return undefined;
      all = false;
    }
    const repository = folder === '' || names.has('.git');
    const ignores = outer.enter(path, folder, names, repository, isUsablePattern);
    const stamp = `${this.#options.withheldStamp}\n${ignores.stamp}`;
    const node: FolderNode = {
      hash: '',
      children: new Map(),
      rules: before?.rules.stamp === stamp ? before.rules : { stamp, names: new Map() },
    };
    const saved = new Map<string, SavedEntry>();
    for (const item of listed) {
      const known = before?.children.get(item.name);
      const entry = await this.#entry(folder, item, ignores, node, known, all);
      if (entry) saved.set(item.name, entry);
    }
    const bytes = encodeFolder(saved);
    node.hash = hashOf(bytes);
    if (!this.#options.store.has(node.hash)) this.#options.writer.put(node.hash, bytes);
    return node;
  }

  async #entry(
    folder: string,
    item: Dirent,
    ignores: GitIgnores,
    node: FolderNode,
    known: Known | undefined,
    all: boolean,
  ): Promise<SavedEntry | undefined> {
    const { name } = item;
    if (name.toLowerCase() === '.git') return undefined;
    const isFolder = item.isDirectory();
    const path = folder + name + (isFolder ? '/' : '');
    // Not join: it looks at every character of every path again.
    const absolute = `${this.#options.root}/${folder}${name}`;
    if (!isFolder && isOurTemporary(name)) {
      // A restore that was killed left it.
      rmSync(absolute, { force: true });
      return undefined;
    }
    const reason = this.#reason(path, absolute, name, isFolder, ignores, node);
    if (reason !== undefined && !(isSoft(reason) && this.#isPinned(path))) {
      if (all) this.#leftOut.add(path, reason);
      return undefined;
    }
    const whole = all && reason === undefined;
    if (!whole && !this.#isPinned(path)) return undefined;
    try {
      if (isFolder) return await this.#subfolder(path, absolute, ignores, node, known, whole);
      if (item.isSymbolicLink()) return this.#link(path, absolute);
      if (item.isFile()) return this.#file(path, absolute, name, node, known);
      this.#leftOut.add(path, 'special');
    } catch (error) {
      // Gone since the folder was listed.
      if (isCode(error, 'ENOENT')) return undefined;
      if (!isCode(error, 'EACCES', 'EPERM', 'EIO', 'ELOOP', 'ENOTDIR', 'EINVAL', 'EBUSY')) throw error;
      this.#leftOut.add(path, 'unreadable');
    }
    return undefined;
  }

  async #subfolder(
    path: string,
    absolute: string,
    ignores: GitIgnores,
    node: FolderNode,
    known: Known | undefined,
    all: boolean,
  ): Promise<SavedEntry | undefined> {
    const { mode } = lstatSync(absolute);
    this.#count(0, path);
    const before = known?.kind === 'folder' ? known.node : undefined;
    const child = await this.#folder(path, ignores, before, all);
    if (!child) return undefined;
    const entry = { kind: 'folder' as const, mode: mode & 0o777, hash: child.hash };
    node.children.set(path.slice(path.lastIndexOf('/', path.length - 2) + 1, -1), {
      kind: 'folder',
      entry,
      node: child,
    });
    return entry;
  }

  #link(path: string, absolute: string): SavedEntry | undefined {
    const target = readlinkSync(absolute, 'buffer');
    this.#count(0, path);
    if (isUtf8(target)) return { kind: 'link', target: target.toString('utf8') };
    this.#leftOut.add(path, 'special');
    return undefined;
  }

  #file(
    path: string,
    absolute: string,
    name: string,
    node: FolderNode,
    known: Known | undefined,
  ): SavedEntry | undefined {
    const { limits, store, writer } = this.#options;
    const status: Stats = lstatSync(absolute);
    if (status.size > limits.file) {
      this.#leftOut.add(path, 'too_large');
      return undefined;
    }
    this.#files++;
    this.#count(status.size, path);
    if (known?.kind === 'file' && isSteady(known.stamp, status) && store.has(known.entry.hash)) {
      const mode = status.mode & 0o777;
      const entry = known.entry.mode === mode ? known.entry : { ...known.entry, mode };
      node.children.set(name, entry === known.entry ? known : { ...known, entry });
      return entry;
    }
    const read = readSteadily(absolute, limits.file);
    if (!read) {
      this.#leftOut.add(path, 'too_large');
      return undefined;
    }
    const hash = hashOf(read.bytes);
    if (!store.has(hash)) writer.put(hash, read.bytes);
    const entry = { kind: 'file' as const, mode: read.mode & 0o777, hash, size: read.bytes.length };
    node.children.set(name, { kind: 'file', entry, stamp: read.stamp });
    return entry;
  }

  /** Whole names where the root cannot be listed; of others it is told that they are left out. */
  #list(path: string, folder: string): Dirent[] | undefined {
    try {
      return readdirSync(path, { withFileTypes: true });
    } catch (error) {
      if (folder === '' || !(error instanceof Error && 'code' in error)) throw error;
      if (!isCode(error, 'ENOENT', 'ENOTDIR')) this.#leftOut.add(folder, 'unreadable');
      return undefined;
    }
  }

  #reason(
    path: string,
    absolute: string,
    name: string,
    isFolder: boolean,
    ignores: GitIgnores,
    { rules: { names } }: FolderNode,
  ): LeftOutReason | undefined {
    let said = names.get(name);
    if (said === undefined) {
      const special = name.includes('\ufffd') ? 'special' : undefined;
      said = special ?? this.#options.withheld(path) ?? (ignores.ignores(path) ? 'ignored' : 'kept');
      names.set(name, said);
    }
    if (said !== 'kept' && said !== 'ignored') return said;
    if (isFolder && name === 'node_modules') return 'cache';
    // A repository that another one ignores is work all the same.
    if (said === 'ignored' && isFolder && exists(join(absolute, '.git'))) return undefined;
    return said === 'kept' ? undefined : said;
  }

  #isPinned(path: string): boolean {
    const { pinned } = this.#options;
    if (!path.endsWith('/')) return pinned.has(path);
    for (const one of pinned) if (one.startsWith(path)) return true;
    return false;
  }

  #count(bytes: number, path: string): void {
    const { limits } = this.#options;
    this.#entries++;
    this.#bytes += bytes;
    if (this.#entries > limits.entries)
      throw new WorkspaceTooLarge(`more than ${limits.entries} files (at ${path})`);
    if (this.#bytes > limits.bytes)
      throw new WorkspaceTooLarge(`more than ${Math.round(limits.bytes / 1024 / 1024)} MB (at ${path})`);
  }
}

/** What git ignores, or a cache: a file of it that the agent edits is saved all the same. */
function isSoft(reason: LeftOutReason): boolean {
  return reason === 'ignored' || reason === 'cache';
}

function isSteady(known: FileStamp, now: Stats): boolean {
  return (
    known.steady &&
    known.size === now.size &&
    known.modified === now.mtimeMs &&
    known.changed === now.ctimeMs &&
    known.inode === now.ino
  );
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
