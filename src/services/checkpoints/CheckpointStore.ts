import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees, markTree, type TreeChange } from './compareTrees.ts';
import { FolderScan, type FolderNode, type Scanned, type ScanOptions } from './FolderScan.ts';
import { readKnownFiles, writeKnownFiles } from './KnownFiles.ts';
import type { LeftOut } from './leftOut.ts';
import { ObjectError, ObjectStore } from './ObjectStore.ts';
import { newCheckpointId, Records, type CheckpointRecord, type Restoring } from './records.ts';
import { restoreFiles, type Restored } from './restoreFiles.ts';

/** How the workspace is walked, said with each call: settings and ignore files may have changed. */
export type Walk = Omit<ScanOptions, 'root' | 'store' | 'writer' | 'pinned'>;

/** What would be different after a restore. */
export interface Difference {
  /** From how it is now to how it was. */
  changes: TreeChange[];
  /** Of these paths: changed by somebody else than the task since the checkpoint was saved. */
  outside: ReadonlySet<string>;
  /** What the checkpoint does not hold, and so stays as it is. */
  leftOut: LeftOut;
}

/** The checkpoint is not kept any more. */
export class CheckpointGone extends Error {
  override readonly name = 'CheckpointGone';
}

/** Checkpoints of tasks that are kept whatever the bound says. */
const ALWAYS_KEPT = 2;

/**
 * The checkpoints of one workspace, in a folder of Lathe's own. The person's repository is not used, and nothing in the workspace is
 * written but by `restore`. Whoever calls holds the folder's lease.
 */
export class CheckpointStore {
  readonly #root: string;
  readonly #folder: string;
  readonly #objects: ObjectStore;
  readonly #records: Records;
  /** Two trees → files that differ. */
  readonly #changedBy = new Map<string, number>();
  #known: FolderNode | undefined;
  /** The hash of what was written of it last. */
  #written: string | undefined;

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#objects = new ObjectStore(join(folder, 'objects'));
    this.#records = new Records(folder);
    this.#known = readKnownFiles(folder);
    this.#written = this.#known?.hash;
  }

  /** Reads the workspace without keeping a checkpoint, so that the first step need not wait for it. */
  async warmUp(walk: Walk): Promise<Scanned> {
    const scanned = await this.#scan(walk);
    this.#writeKnown();
    return scanned;
  }

  /** `edits`: files that the step is about to change, relative to the workspace; they are saved although git may ignore them. */
  async save(
    about: Pick<CheckpointRecord, 'taskId' | 'reason' | 'callId'>,
    edits: readonly string[],
    walk: Walk,
  ): Promise<CheckpointRecord> {
    this.#records.pin(edits);
    const { tree, leftOut } = await this.#scan(walk);
    const record: CheckpointRecord = {
      ...about,
      id: newCheckpointId(),
      at: Date.now(),
      before: tree,
      leftOut,
    };
    this.#records.put(record);
    return record;
  }

  /** The step that followed the checkpoint is over: what it has changed is known from now on. */
  async finish(id: string, walk: Walk): Promise<void> {
    const record = this.#records.get(id);
    if (!record) return;
    const { tree } = await this.#scan(walk);
    this.#records.put({ ...record, after: tree });
  }

  /** Those of the named that are kept, oldest first. */
  list(ids: readonly string[]): CheckpointRecord[] {
    return ids.flatMap((id) => this.#records.get(id) ?? []).sort((a, b) => a.at - b.at);
  }

  /** A restore whose process ended before it did. */
  get restoring(): Restoring | undefined {
    return this.#records.restoring;
  }

  /** Files that the step behind a checkpoint changed; undefined while that is not known, or not kept. */
  changedBy({ before, after }: CheckpointRecord): number | undefined {
    if (after === undefined) return undefined;
    const pair = `${before} ${after}`;
    const known = this.#changedBy.get(pair);
    if (known !== undefined) return known;
    try {
      const count = compareTrees(this.#objects, before, after).filter(isNoFolder).length;
      this.#changedBy.set(pair, count);
      return count;
    } catch (error) {
      if (error instanceof ObjectError) return undefined;
      throw error;
    }
  }

  /**
   * From the workspace as it is to the checkpoint `id`. `ids`: all checkpoints of the task that asks. @throws CheckpointGone
   */
  async difference(id: string, ids: readonly string[], walk: Walk): Promise<Difference> {
    const { tree } = await this.#scan(walk);
    const record = this.#record(id);
    return {
      changes: compareTrees(this.#objects, tree, record.before),
      outside: this.#outside(record, ids, tree),
      leftOut: record.leftOut,
    };
  }

  /** What a saved file holds. @throws ObjectError */
  read(hash: string): Buffer {
    return this.#objects.read(hash);
  }

  /**
   * Makes the workspace what it was at the checkpoint `id`, but for the paths in `leave`. `undoId` is the checkpoint that was saved
   * right before: what is not as it is there by now is left alone. @throws CheckpointGone
   */
  async restore(id: string, undoId: string, leave: ReadonlySet<string>, walk: Walk): Promise<Restored> {
    const target = this.#record(id);
    const undo = this.#record(undoId);
    const changes = compareTrees(this.#objects, undo.before, target.before).filter(
      ({ path }) => !isLeft(path, leave),
    );
    this.#records.setRestoring({ taskId: undo.taskId, checkpointId: id, undoId });
    const restored = restoreFiles(this.#root, this.#objects, changes);
    const { tree } = await this.#scan(walk);
    this.#records.put({ ...undo, after: tree });
    this.#records.setRestoring(undefined);
    return restored;
  }

  /**
   * Forgets the oldest checkpoints until what is left fits into `bytes` and is no more than `count`, then takes away what nothing
   * needs. The newest stay, however large.
   */
  prune({ bytes, count }: { bytes: number; count: number }): void {
    const live = new Set<string>();
    let kept = 0;
    let full = false;
    for (const record of this.#records.all().toReversed()) {
      if (full || !this.#mark(record, live) || kept >= count) {
        this.#records.remove(record.id);
        continue;
      }
      kept++;
      full = kept >= ALWAYS_KEPT && this.#objects.sizeOf(live) > bytes;
    }
    this.#objects.sweep(live);
    this.#writeKnown();
  }

  /** Bytes of the saved content on the disk. */
  get size(): number {
    return this.#objects.size;
  }

  #mark({ before, after }: CheckpointRecord, live: Set<string>): boolean {
    try {
      markTree(this.#objects, before, live);
      if (after !== undefined) markTree(this.#objects, after, live);
      return true;
    } catch (error) {
      if (error instanceof ObjectError) return false;
      throw error;
    }
  }

  #record(id: string): CheckpointRecord {
    const record = this.#records.get(id);
    if (!record || !this.#objects.has(record.before))
      throw new CheckpointGone(`the checkpoint ${id} is not kept any more`);
    return record;
  }

  /** Whatever differs between the end of a step and the start of the next one, nobody of this task did. */
  #outside(from: CheckpointRecord, ids: readonly string[], now: string): ReadonlySet<string> {
    const later = this.list(ids).filter((record) => record.at >= from.at && record.id >= from.id);
    const paths = new Set<string>();
    later.forEach((record, index) => {
      const next = later[index + 1]?.before ?? now;
      if (record.after === undefined || record.after === next) return;
      try {
        for (const { path } of compareTrees(this.#objects, record.after, next)) paths.add(path);
      } catch (error) {
        // One in between is not kept: what was changed then is not known.
        if (!(error instanceof ObjectError)) throw error;
      }
    });
    return paths;
  }

  /** For the next process. Not with every step: it takes as long as the walk. */
  #writeKnown(): void {
    if (!this.#known || this.#known.hash === this.#written) return;
    writeKnownFiles(this.#folder, this.#known);
    this.#written = this.#known.hash;
  }

  async #scan(walk: Walk): Promise<Scanned> {
    this.#objects.refresh();
    const writer = this.#objects.writer();
    try {
      const pinned = new Set(this.#records.pinned);
      const scan = new FolderScan({ ...walk, pinned, root: this.#root, store: this.#objects, writer });
      const { scanned, node } = await scan.run(this.#known);
      writer.commit();
      this.#known = node;
      return scanned;
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
}

function isNoFolder({ before, after }: TreeChange): boolean {
  return before?.kind !== 'folder' || (after !== undefined && after.kind !== 'folder');
}

function isLeft(path: string, leave: ReadonlySet<string>): boolean {
  if (leave.has(path)) return true;
  // A folder stays for the sake of what is left in it.
  for (const one of leave) if (one.startsWith(`${path}/`)) return true;
  return false;
}
