import { join } from 'node:path';
import ignore from 'ignore';
import { CheckpointGone, CheckpointStore, type Walk } from '../../services/checkpoints/CheckpointStore.ts';
import type { TreeChange } from '../../services/checkpoints/compareTrees.ts';
import type { SavedEntry } from '../../services/checkpoints/entries.ts';
import type { ScanLimits } from '../../services/checkpoints/FolderScan.ts';
import type { CheckpointRecord } from '../../services/checkpoints/records.ts';
import type { Restored } from '../../services/checkpoints/restoreFiles.ts';
import { answerCalls } from '../../services/threads/answerCalls.ts';
import type { CheckpointDifference, CheckpointFile, CheckpointRow } from '../../shared/checkpoints.ts';
import { mayHoldSecrets } from '../approval/protectedPaths.ts';
import { brokenPattern } from '../context/ignorePatterns.ts';
import { hidesByRules } from '../context/IgnoreRules.ts';
import { diffDetails } from '../diff/unified.ts';

/** What the thread is asked to do in one workspace. */
export interface CheckpointRequest {
  /** The workspace, absolute and real; the folder of its checkpoints; and the data folder, which is never saved. */
  root: string;
  folder: string;
  home: string;
  limits: ScanLimits;
  /** Patterns of what the person hid from agents. */
  hidden: readonly string[];
  work: CheckpointWork;
}

export type CheckpointWork =
  | { type: 'warmUp' }
  | {
      type: 'save';
      about: Pick<CheckpointRecord, 'taskId' | 'reason' | 'callId'>;
      edits: readonly string[];
    }
  | { type: 'finish'; id: string }
  | { type: 'list'; ids: readonly string[] }
  | { type: 'difference'; id: string; ids: readonly string[] }
  | { type: 'file'; id: string; path: string }
  | { type: 'restore'; id: string; undoId: string; leave: readonly string[] }
  | { type: 'prune'; bytes: number; count: number };

export type CheckpointAnswer =
  | { type: 'saved'; id: string; tree: string; leftOut: number }
  | { type: 'list'; rows: CheckpointRow[]; interrupted: boolean }
  | { type: 'difference'; difference: CheckpointDifference }
  | { type: 'file'; file: CheckpointFile }
  | { type: 'restored'; restored: Restored }
  | { type: 'done' };

/** Changes that are named, and those whose lines are counted; bytes of a text that is compared. */
const NAMED = 500;
const COUNTED = 100;
const LARGEST_TEXT = 1024 * 1024;

const stores = new Map<string, CheckpointStore>();

answerCalls(async (request, { signal }): Promise<CheckpointAnswer> => {
  const { root, folder, home, limits, hidden, work } = request as CheckpointRequest;
  let store = stores.get(folder);
  if (!store) stores.set(folder, (store = new CheckpointStore(root, folder)));
  const isUsablePattern = (pattern: string): boolean => brokenPattern(pattern) === undefined;
  const walk: Walk = { limits, signal, isUsablePattern, ...withheldBy(root, home, hidden) };
  switch (work.type) {
    case 'warmUp':
      await store.warmUp(walk);
      return { type: 'done' };
    case 'save': {
      const { id, before, leftOut } = await store.save(work.about, work.edits, walk);
      return { type: 'saved', id, tree: before, leftOut: leftOut.count };
    }
    case 'finish':
      await store.finish(work.id, walk);
      return { type: 'done' };
    case 'list':
      return listed(store, work.ids);
    case 'difference':
      return await compared(store, work.id, work.ids, walk);
    case 'file':
      return { type: 'file', file: await fileOf(store, work.id, work.path, walk) };
    case 'restore':
      return {
        type: 'restored',
        restored: await store.restore(work.id, work.undoId, new Set(work.leave), walk),
      };
    case 'prune':
      store.prune(work);
      return { type: 'done' };
  }
});

function withheldBy(
  root: string,
  home: string,
  hidden: readonly string[],
): Pick<Walk, 'withheld' | 'withheldStamp'> {
  const rules = hidden.length === 0 ? undefined : ignore().add([...hidden]);
  return {
    withheld: (path) => {
      if (rules && hidesByRules(rules, path)) return 'hidden';
      return mayHoldSecrets(join(root, path.replace(/\/$/, '')), root, [home]) ? 'secret' : undefined;
    },
    withheldStamp: hidden.join('\n'),
  };
}

function listed(store: CheckpointStore, ids: readonly string[]): CheckpointAnswer {
  const rows = store.list(ids).map((record): CheckpointRow => {
    const { id, at, reason, callId } = record;
    const changed = store.changedBy(record);
    return {
      ...{ id, at, reason },
      ...(callId === undefined ? {} : { callId }),
      ...(changed === undefined ? {} : { changed }),
    };
  });
  return { type: 'list', rows, interrupted: ids.includes(store.restoring?.undoId ?? '') };
}

async function compared(
  store: CheckpointStore,
  id: string,
  ids: readonly string[],
  walk: Walk,
): Promise<CheckpointAnswer> {
  const { changes, outside, leftOut } = await store.difference(id, ids, walk);
  const files = changes.slice(0, NAMED).map((change, index) => ({
    path: change.path,
    change: kindOf(change),
    folder: (change.after ?? change.before)?.kind === 'folder',
    outside: outside.has(change.path),
    unsaved: false,
    ...(index < COUNTED ? countsOf(store, change) : {}),
  }));
  return { type: 'difference', difference: { files, count: changes.length, leftOut } };
}

function kindOf({ before, after }: TreeChange): 'created' | 'deleted' | 'changed' {
  if (before === undefined) return 'created';
  return after === undefined ? 'deleted' : 'changed';
}

function countsOf(store: CheckpointStore, change: TreeChange): { added?: number; removed?: number } {
  const sides = sidesOf(store, change);
  if (!sides) return {};
  const { added, removed } = diffDetails(change.path, sides.before, sides.after);
  return { added, removed };
}

async function fileOf(store: CheckpointStore, id: string, path: string, walk: Walk): Promise<CheckpointFile> {
  const { changes } = await store.difference(id, [], walk);
  const change = changes.find((one) => one.path === path);
  if (!change) throw new CheckpointGone(`${path} does not differ from the checkpoint ${id} any more`);
  const sides = sidesOf(store, change);
  if (!sides) return { path, text: false };
  const { before, after } = sides;
  return { path, text: true, before: before ?? '', after, patch: diffDetails(path, before, after).patch };
}

/** Both sides as text; undefined where one is no text, or too large for comparing. */
function sidesOf(
  store: CheckpointStore,
  { before, after }: TreeChange,
): { before: string | null; after: string } | undefined {
  const [first, second] = [textOf(store, before), textOf(store, after)];
  if (first === undefined || second === undefined) return undefined;
  return { before: first, after: second ?? '' };
}

/** Null where there is nothing. */
function textOf(store: CheckpointStore, entry: SavedEntry | undefined): string | null | undefined {
  if (entry === undefined) return null;
  if (entry.kind === 'link') return `${entry.target}\n`;
  if (entry.kind === 'folder' || entry.size > LARGEST_TEXT) return undefined;
  const bytes = store.read(entry.hash);
  if (bytes.includes(0)) return undefined;
  return bytes.toString('utf8');
}
