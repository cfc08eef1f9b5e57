import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { CheckpointRow } from '../../shared/checkpoints.ts';
import type { Fact, JournalEntry } from '../../shared/events.ts';
import { message } from '../../shared/strings.ts';
import { ProtocolError, type Handlers } from '../Dispatcher.ts';
import type { FileHost } from '../host/Host.ts';
import { formatResponse } from '../prompts/responses.ts';
import type { Task } from '../task/Task.ts';
import { stateOf } from '../task/taskState.ts';
import type { Tasks } from '../Tasks.ts';
import { CheckpointError, type Checkpoints } from './Checkpoints.ts';
import { whyNot } from './checkpointWords.ts';

type CheckpointMethod = Extract<keyof Handlers, `checkpoint/${string}`>;
type Saved = Extract<JournalEntry, { type: 'checkpoint_saved' }>;

/** Milliseconds that looking at a workspace may take. Restoring is never broken off. */
const PATIENCE = 120_000;

/** What a front end can ask of a task's checkpoints. */
export function checkpointHandlers(
  tasks: Tasks,
  checkpoints: Checkpoints,
  files: FileHost,
): Pick<Handlers, CheckpointMethod> {
  const soon = (): AbortSignal => AbortSignal.timeout(PATIENCE);
  return {
    'checkpoint/list': async ({ taskId }) => {
      const task = await tasks.get(taskId);
      const ids = idsOf(task);
      if (ids.length === 0) return { checkpoints: [], interrupted: false };
      const work = { type: 'list' as const, ids };
      const { rows, interrupted } = await told(checkpoints.do(task.state.cwd, work, soon()));
      return { checkpoints: rows.map((row) => ({ ...row, ...stepOf(task, row) })), interrupted };
    },
    'checkpoint/diff': async ({ taskId, checkpointId }) => {
      const task = await tasks.runnable(taskId);
      savedIn(task, checkpointId);
      const { cwd } = task.state;
      const work = { type: 'difference' as const, id: checkpointId, ids: idsOf(task) };
      const { difference } = await told(checkpoints.do(cwd, work, soon()));
      const unsaved = await unsavedIn(cwd, files);
      const changes = difference.files.map((file) => ({ ...file, unsaved: unsaved.has(file.path) }));
      return { ...difference, files: changes };
    },
    'checkpoint/file': async ({ taskId, checkpointId, path }) => {
      const task = await tasks.runnable(taskId);
      savedIn(task, checkpointId);
      const work = { type: 'file' as const, id: checkpointId, path };
      return (await told(checkpoints.do(task.state.cwd, work, soon()))).file;
    },
    'checkpoint/restore': async ({ taskId, checkpointId, what, leave }) => {
      const task = await tasks.runnable(taskId);
      const saved = savedIn(task, checkpointId);
      if (what === 'task') return { taskId: (await branchAt(tasks, task, saved)).id };
      await tasks.free(taskId);
      await requireQuiet(tasks, task.state.cwd);
      const restored = await restoreFiles(checkpoints, task, saved, leave);
      if (what === 'files') return { taskId };
      const branch = await branchAt(tasks, task, saved);
      await branch.record(restored);
      return { taskId: branch.id };
    },
  };
}

/** Saves how it is, then restores; both are written down, so that it can be undone, also when it is cut off in the middle. */
async function restoreFiles(
  checkpoints: Checkpoints,
  task: Task,
  saved: Saved,
  leave: readonly string[],
): Promise<Extract<Fact, { type: 'checkpoint_restored' }>> {
  const { cwd } = task.state;
  const never = new AbortController().signal;
  const about = { taskId: task.id, reason: 'restore' as const };
  const { id: undoId } = await told(checkpoints.do(cwd, { type: 'save', about, edits: [] }, never));
  await task.record({ type: 'checkpoint_saved', checkpointId: undoId, reason: 'restore' });
  const work = { type: 'restore' as const, id: saved.checkpointId, undoId, leave };
  const { restored } = await told(checkpoints.do(cwd, work, never));
  const fact = {
    type: 'checkpoint_restored' as const,
    ...{ checkpointId: saved.checkpointId, undoId, savedAt: saved.at },
    ...restored,
  };
  await task.record(fact);
  return fact;
}

/** The conversation up to the checkpoint; calls that had no result by then were not run in the new task. */
async function branchAt(tasks: Tasks, task: Task, saved: Saved): Promise<Task> {
  const history = task.entries.filter(({ seq }) => seq < saved.seq);
  const finished = new Set(history.flatMap((entry) => (entry.type === 'tool_finished' ? entry.callId : [])));
  const last = history.findLast((entry) => entry.type === 'assistant_message');
  const closing: Fact[] = Array.from(stateOf(history).pending.keys(), (approvalId) => ({
    type: 'approval_resolved' as const,
    approvalId,
    decision: { outcome: 'cancelled' as const, by: 'policy' as const },
  }));
  const words = [{ type: 'text' as const, text: formatResponse.wentBack() }];
  for (const block of last?.type === 'assistant_message' ? last.content : []) {
    if (block.type !== 'tool_use' || finished.has(block.id)) continue;
    closing.push({
      type: 'tool_finished',
      ...{ callId: block.id, tool: block.name, outcome: 'skipped' },
      view: { kind: 'other', subject: '', locations: [] },
      content: formatResponse.resultOf(block, '', words),
      durationMs: 0,
    });
  }
  closing.push({ type: 'task_finished', reason: 'cancelled' });
  return await tasks.branchAt(task, saved.seq, closing);
}

/** Nobody may write into what is being restored: no task of this window, and none of another. */
async function requireQuiet(tasks: Tasks, cwd: string): Promise<void> {
  const all = await tasks.list(cwd);
  if (all.some(({ state }) => state === 'running' || state === 'waiting'))
    throw new ProtocolError('busy', message('checkpoint.running'));
}

function idsOf(task: Task): string[] {
  const ids = task.entries.flatMap((entry) => {
    if (entry.type === 'checkpoint_saved') return entry.checkpointId;
    return entry.type === 'checkpoint_restored' ? entry.undoId : [];
  });
  return [...new Set(ids)];
}

/** A checkpoint of this task, and of no other: ids come from outside. */
function savedIn(task: Task, checkpointId: string): Saved {
  const found = task.entries.findLast(
    (entry): entry is Saved => entry.type === 'checkpoint_saved' && entry.checkpointId === checkpointId,
  );
  if (found) return found;
  // A branch knows the state before the restore that it began with.
  const restored = task.entries.findLast(
    (entry) => entry.type === 'checkpoint_restored' && entry.undoId === checkpointId,
  );
  if (!restored) throw new ProtocolError('not_found', message('checkpoint.unknown'));
  const { seq, at } = restored;
  return { seq, at, type: 'checkpoint_saved', checkpointId, reason: 'restore' };
}

function stepOf(task: Task, { callId }: CheckpointRow): Pick<CheckpointRow, 'tool' | 'subject'> {
  const started = task.entries.findLast((entry) => entry.type === 'tool_started' && entry.callId === callId);
  return started?.type === 'tool_started' ? { tool: started.tool, subject: started.view.subject } : {};
}

async function unsavedIn(cwd: string, files: FileHost): Promise<ReadonlySet<string>> {
  const paths = (await files.unsaved?.()) ?? [];
  if (paths.length === 0) return new Set();
  const root = await realpath(cwd);
  return new Set(paths.map((path) => relative(root, path).split(sep).join('/')));
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new ProtocolError(error.reason === 'busy' ? 'busy' : 'unavailable', whyNot(error), {
      cause: error,
    });
  }
}
