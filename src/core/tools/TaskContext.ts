import type { EditorSettings } from '../../shared/settings.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import type { TodoItem } from '../../shared/tools.ts';
import type { CommandFacts } from '../approval/commandFacts.ts';
import type { CommandKind } from '../approval/sandboxStanding.ts';
import type { Classify } from '../../services/sandbox/scanWorkspace.ts';
import type { WorkspaceNotes } from '../notes/WorkspaceNotes.ts';
import type { Host } from '../host/Host.ts';
import type { FastApplyRequest, FastApplyResult } from '../provider/fastApply.ts';
import type { PictureRequest, PictureResult } from '../provider/pictures.ts';
import type { ModelFacts } from '../provider/Provider.ts';
import type { ToolResponse } from './BaseTool.ts';
import type { TaskBrowser } from './TaskBrowser.ts';

/** A path that went through the gate: where it really is, and what may be said of it. */
export interface ResolvedPath {
  /** Absolute, every link resolved. */
  real: string;
  /** For people and the model: workspace-relative with `/`, absolute outside the workspace; `.` for the root. */
  shown: string;
  insideWorkspace: boolean;
  /** It always asks: an edit could change what runs or what is allowed, a read could show a secret. */
  protected: boolean;
}

export interface Question {
  question: string;
  suggestions: { text: string; mode?: string }[];
}

/** A subtask as a call asks for it. */
export interface WantedSubtask {
  mode: string;
  message: string;
  todos?: TodoItem[];
}

/** A text, and where it stands in the workspace; without a path it is the person's own. */
export interface WrittenText {
  text: string;
  /** Relative to the workspace with `/`. */
  path?: string;
}

/** What a tool sees of its task. Never the Task. */
export interface TaskContext {
  readonly callId: string;
  /** How the call came: some results are written as that protocol's users expect them. */
  readonly origin: 'xml' | 'native';
  /** An existing folder of this task's, outside the workspace, for what is too long for the model: absolute. */
  readonly artifactsFolder: string;
  /** Absolute path of the workspace root. */
  readonly cwd: string;
  readonly mode: ModeConfig;
  readonly host: Host;
  readonly settings: EditorSettings;
  readonly signal: AbortSignal;
  readonly model: ModelFacts;
  /** Puts this summary in the place of what came before. Gives words for the model. @throws ToolError when it is no good */
  condense(summary: string): Promise<string>;
  /** Tokens of the context window that are still free; undefined when the window is not known. */
  readonly contextLeft: number | undefined;
  /**
   * The file gate: every path of every tool goes through it. Ignored and malformed paths reject with a ToolError;
   * for edits the mode's fileRegex is checked on the real path too.
   */
  resolve(path: string, access: 'read' | 'edit' | 'list'): Promise<ResolvedPath>;
  /** Whether a path below a listing may be named at all (ignore files). Takes workspace-relative paths with `/`, folders' with one at the end. */
  isIgnored(relativePath: string): boolean;
  /**
   * Whether a walk over many files must pass over the content of this one: hidden, denied, or holding secrets that nobody said yes to.
   * `path` is relative to the workspace or absolute; `walked` is what the call named and was approved for.
   */
  isWithheld(path: string, walked: ResolvedPath): boolean;
  /** What was read of a file, so that a later write can tell whether it changed since. */
  readonly freshness: {
    /** Real path, and the hash of what was read or written; null for a file that the call deleted. */
    noteRead(path: string, hash: string | null): void;
    lastRead(path: string): string | undefined;
  };
  readonly todos: { list(): readonly TodoItem[]; update(todos: TodoItem[]): Promise<void> };
  readonly modes: { list(): readonly ModeConfig[]; switchTo(slug: string, reason?: string): Promise<void> };
  readonly subtasks: {
    /** Why this task may begin none: words for the model. */
    refusal?: string;
    /** Begins this call's subtask and waits for its end; without `wanted`, that of the one that the call has. */
    run(wanted: WantedSubtask | undefined): Promise<ToolResponse>;
  };
  /** What people wrote for agents, by name; undefined for a name that there is none of. */
  readonly instructions: {
    /** A file of rules, as the prompt names it. */
    rule(name: string): Promise<WrittenText | undefined>;
    /** The words that a slash command stands for. */
    command(name: string): Promise<(WrittenText & { mode?: string; argumentHint?: string }) | undefined>;
  };
  /** Puts a question to the person; the answer, or undefined when the turn must end to get one. */
  ask(
    question: Question,
  ): Promise<{ answer: string; images?: { mediaType: string; data: string }[]; mode?: string } | undefined>;
  /** Content from outside came to the model since the person spoke last: what a call does now may be that content's wish. */
  readonly afterUntrusted: boolean;
  /** The workspace's notes. */
  readonly notes: () => Promise<Pick<WorkspaceNotes, 'list' | 'check' | 'change'>>;
  /** The browser of this turn: it ends with it. */
  readonly browser: TaskBrowser;
  /** Names of the tools that failed earlier in this message. */
  readonly failedInMessage: readonly string[];
  /** Names of the tools that ran to their end earlier in this message. */
  readonly doneInMessage: readonly string[];
  /** Merges a sketched edit into a file's text; absent where no fast-apply model is set up. */
  readonly fastApply?: (request: FastApplyRequest, signal: AbortSignal) => Promise<FastApplyResult>;
  /** Makes a picture; absent where no model for it is set up. */
  readonly makePicture?: (
    request: Omit<PictureRequest, 'model'>,
    signal: AbortSignal,
  ) => Promise<PictureResult>;
  /** Commands as the person's rules see them; without it every command asks. */
  readonly commands?: CommandPort;
  /** Resolves when the person sends this call's command to the background. */
  readonly background: Promise<void>;
}

/** Live progress of a running call; ephemeral. */
export interface ToolProgress {
  output(text: string): void;
}

/** What a tool that runs commands knows of the person's rules and of the workspace's protected files. */
export interface CommandPort {
  /** The workspace root, links resolved. */
  root(): Promise<string>;
  look(command: string, folder: ResolvedPath): Promise<CommandFacts>;
  /** How the sandbox treats what is in the workspace, for programs that may change it and for those that only look. */
  standing(kind: CommandKind): Classify;
}
