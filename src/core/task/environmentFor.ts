import type { Fact } from '../../shared/events.ts';
import type { Note } from '../../shared/notes.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import { environmentDetails } from '../context/environmentDetails.ts';
import type { FileFreshness } from '../context/FileFreshness.ts';
import type { FileGate } from '../context/FileGate.ts';
import { FileError, type EditorFacts, type Host } from '../host/Host.ts';
import { NoteError, type WorkspaceNotes } from '../notes/WorkspaceNotes.ts';
import type { Task } from './Task.ts';
import { WorkspaceError } from './WorkspaceError.ts';

/** What the volatile block is made from. */
export interface EnvironmentSources {
  host: Host;
  gate: FileGate;
  read: FileFreshness;
  settings: Pick<EditorSettings, 'tellTime' | 'tellCost'>;
  modeName: string;
  /** The workspace's notes, where the model is given them. */
  notes?: () => Promise<Pick<WorkspaceNotes, 'list'>>;
}

type Environment = Pick<Extract<Fact, { type: 'user_message' }>, 'environment' | 'changedFiles'>;

const NO_EDITOR: EditorFacts = { visibleFiles: [], openTabs: [] };
/** Milliseconds that looking around may take. */
const LONGEST = 10_000;

/** What is other around the task than the model saw last; undefined when nothing is. */
export async function environmentFor(
  task: Task,
  { host, gate, read, settings, modeName, notes }: EnvironmentSources,
): Promise<Environment | undefined> {
  const signal = AbortSignal.timeout(LONGEST);
  const { environment, todos, usage, cwd } = task.state;
  const editor = (await host.editor?.facts()) ?? NO_EDITOR;
  const nameable = async (names: readonly string[]): Promise<string[]> => await gate.nameable(names, signal);
  const changed = await read.changed(editor.unsaved ?? [], signal);
  const named = await Promise.all(
    changed.map(async ({ path, hash }) => ({ shown: await gate.shown(path), gone: hash === null })),
  );
  const allowed = new Set(await nameable(named.map(({ shown }) => shown)));
  const block = environmentDetails(
    {
      modeName,
      visibleFiles: await nameable(editor.visibleFiles),
      openTabs: await nameable(editor.openTabs),
      terminals: editor.terminals ?? [],
      todos,
      // Of the root the first sight is enough: the model can list it.
      ...(environment.has('Workspace root')
        ? {}
        : {
            rootEntries: await nameable(await rootEntries(cwd, host)),
            ...(notes ? { notes: await notesFrom(notes) } : {}),
          }),
      changedFiles: named.filter(({ shown }) => allowed.has(shown)),
      withMessage: hasNewMessage(task),
      now: settings.tellTime ? new Date() : undefined,
      cost: settings.tellCost ? usage.cost : undefined,
    },
    new Map(Array.from(environment, ([name, { text }]) => [name, text])),
  );
  if (block === undefined) return undefined;
  return { environment: block, ...(changed.length === 0 ? {} : { changedFiles: changed }) };
}

/** None where they cannot be read: the tool says so when they are asked for. */
async function notesFrom(notes: NonNullable<EnvironmentSources['notes']>): Promise<Note[]> {
  try {
    return await (await notes()).list();
  } catch (error) {
    if (error instanceof NoteError) return [];
    throw error;
  }
}

/** Whether the person said something that no request has held yet. */
function hasNewMessage({ entries }: Task): boolean {
  const last = entries.findLastIndex(
    (entry) => entry.type === 'request_started' && entry.purpose === undefined,
  );
  return entries.some(
    (entry, index) => index > last && entry.type === 'user_message' && entry.automatic !== true,
  );
}

/** @throws WorkspaceError when the folder has gone */
async function rootEntries(cwd: string, host: Host): Promise<string[]> {
  const entries = await host.files.list(cwd).catch((error: unknown) => {
    throw error instanceof FileError ? new WorkspaceError(cwd, error) : error;
  });
  return entries
    .filter(({ name }) => name !== '.git')
    .map(({ name, type }) => (type === 'folder' ? `${name}/` : name))
    .sort();
}
