import type { ApprovalPolicy } from '../../src/shared/approvals.ts';
import type { Attachment, Image } from '../../src/shared/events.ts';
import type { FileProblem, ModeOverview, RuleRow, SlashCommand } from '../../src/shared/customModes.ts';
import type { Note } from '../../src/shared/notes.ts';
import { DEFAULT_MODE, type ModeConfig } from '../../src/shared/modes.ts';
import type { FoundService, ProfileState, TaskSummary, Writer } from '../../src/shared/protocol.ts';
import type { Locale, Message } from '../../src/shared/strings.ts';
import { emptyView } from '../../src/shared/view.ts';
import type { TaskView } from '../../src/shared/viewItems.ts';
import type { NoteList } from './Notes.ts';
import type { ServerList } from './Servers.ts';

export type Screen = 'chat' | 'history' | 'settings' | 'mcp' | 'modes' | 'about' | 'restore';

/** What the person is writing: text, pictures, and texts of dropped files. */
export interface Draft {
  text: string;
  images: readonly Image[];
  attachments: readonly Attachment[];
}

export const EMPTY_DRAFT: Draft = { text: '', images: [], attachments: [] };

/** Whether there is nothing to send. */
export function isEmptyDraft({ text, images, attachments }: Draft): boolean {
  return text.trim() === '' && images.length === 0 && attachments.length === 0;
}

/** The file in front in the editor, relative to the workspace, and the lines that are selected in it. */
export interface InView {
  file?: string | undefined;
  lines?: { first: number; last: number } | undefined;
}

export interface DeletedTask {
  id: string;
  title: string;
}

/** An earlier message that is being written anew: the number of its entry, and what stood in the composer. */
export interface Editing {
  seq: number;
  before: Draft;
}

/** A subtask that the open task waits for. */
export interface OpenSubtask {
  taskId: string;
  view: TaskView;
  /** The other window or program that runs it. */
  elsewhere: Writer | undefined;
}

/** A file's text, with plain line breaks, and its path as it is shown. */
export interface ProposedFile {
  path: string;
  text: string;
}

export interface AppState {
  /** Where the page is shown. */
  surface: 'editor' | 'browser';
  /** Whether the agent is reached; in an editor it always is. */
  connected: boolean;
  phase: 'connecting' | 'ready';
  locale: Locale;
  trusted: boolean;
  workspace: string | undefined;
  screen: Screen;
  /** The screen before this one. */
  cameFrom: Screen;
  /** The open task; none while a new one is being written. */
  taskId: string | undefined;
  /** The open task is being read. */
  loading: boolean;
  view: TaskView;
  /** What the open task waits for, each below the one before. */
  subtasks: readonly OpenSubtask[];
  /** Entries of the open task that are not here: those up to this number. */
  before: number;
  /** How many earlier pages were put before what was there. */
  pages: number;
  /** An earlier page is on its way. */
  fetching: boolean;
  queued: readonly string[];
  /** The task that is to be condensed, and its last entry when that was asked for. */
  condenseWish: { taskId: string; lastSeq: number } | undefined;
  /** The other window or program that runs the open task: here it can only be read. */
  elsewhere: Writer | undefined;
  /** The checkpoint that the person thinks of going back to. */
  checkpointId: string | undefined;
  draft: Draft;
  /** The proposal that is being changed; undefined in it is what is still fetched. */
  changing: { approvalId: string; file: ProposedFile | undefined } | undefined;
  /** What the person made of a proposal of the open task, and what did not land. */
  unused: (ProposedFile & { approvalId: string }) | undefined;
  inView: InView;
  editing: Editing | undefined;
  /** Rises when the composer should take the focus. */
  focusRequest: number;
  /** Rises when the mode menu should open. */
  modeMenuRequest: number;
  modes: readonly ModeConfig[];
  /** Slash commands that files define, and what is wrong in those files. */
  commands: readonly SlashCommand[];
  commandProblems: readonly FileProblem[];
  /** What the modes' screen shows; undefined until it was asked for. */
  modeOverview: ModeOverview | undefined;
  ruleRows: readonly RuleRow[];
  /** The notes on the workspace; undefined until they were read. */
  notes: NoteList | undefined;
  /** The note that was deleted last and can be put back. */
  deletedNote: Note | undefined;
  /** Slugs of what was imported last. */
  imported: readonly string[];
  /** The mode of the next new task. */
  mode: string;
  profiles: readonly ProfileState[];
  activeProfile: string | undefined;
  policy: ApprovalPolicy | undefined;
  tasks: readonly TaskSummary[] | undefined;
  /** Deleted a moment ago and not shown; it can still be brought back. */
  deleted: DeletedTask | undefined;
  /** The MCP servers; undefined until they were read. */
  servers: ServerList | undefined;
  /** Undefined while they are looked for. */
  services: readonly FoundService[] | undefined;
  /** What went wrong last, until it is dismissed. */
  error: Message | undefined;
}

export const initialState: AppState = {
  surface: 'editor',
  connected: true,
  phase: 'connecting',
  locale: 'en',
  trusted: true,
  workspace: undefined,
  screen: 'chat',
  cameFrom: 'chat',
  taskId: undefined,
  loading: false,
  view: emptyView(),
  subtasks: [],
  before: 0,
  pages: 0,
  fetching: false,
  queued: [],
  condenseWish: undefined,
  elsewhere: undefined,
  checkpointId: undefined,
  draft: EMPTY_DRAFT,
  changing: undefined,
  unused: undefined,
  inView: {},
  editing: undefined,
  focusRequest: 0,
  modeMenuRequest: 0,
  modes: [],
  commands: [],
  commandProblems: [],
  modeOverview: undefined,
  ruleRows: [],
  notes: undefined,
  deletedNote: undefined,
  imported: [],
  mode: DEFAULT_MODE,
  profiles: [],
  activeProfile: undefined,
  policy: undefined,
  tasks: undefined,
  deleted: undefined,
  servers: undefined,
  services: undefined,
  error: undefined,
};
