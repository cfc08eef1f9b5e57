import type { McpHost } from './McpHost.ts';
import type { Sandbox } from '../../services/sandbox/Sandbox.ts';
import type { CodeIndex } from '../../services/codeIndex/CodeIndex.ts';
import type { ProxyPlaces } from '../../services/proxy/ProxyPlaces.ts';
import type { NetworkPlace } from '../../shared/approvals.ts';
import type { BrowserSight, BrowserStep, PageSize, PictureType } from '../../shared/browser.ts';

/** What a machine can do for the agent. Approval is not here: what a person may say travels as events. */
export interface Host {
  readonly files: FileHost;
  readonly terminal?: TerminalHost;
  readonly editor?: EditorHost;
  readonly browser?: BrowserHost;
  readonly secrets?: SecretStore;
  readonly mcp?: McpHost;
  /** What a report on Lathe says of it, and where the project takes reports; absent where nothing is known. */
  readonly reports?: ReportHost;
  /** What language services say of files; absent where there are none. */
  readonly problems?: ProblemHost;
  /** Absolute path of a ripgrep binary; undefined when none was found. */
  readonly ripgrep: string | undefined;
  /** The index behind codebase_search; absent where it cannot be kept. */
  readonly codeIndex?: Pick<CodeIndex, 'search'> | undefined;
  /** Where commands run that nobody was asked about; absent where there can be none. */
  readonly sandbox?: Pick<Sandbox, 'missing' | 'findProgram' | 'run'>;
  /** Where requests to the network leave by; undefined for directly. Throws ProxyError where that is said wrongly. */
  readonly proxies?: ProxyPlaces | undefined;
  readonly system: SystemFacts;
}

export interface SystemFacts {
  readonly platform: NodeJS.Platform;
  /** The shell that runs approved commands, as a person would name it: `bash`, `zsh`, `pwsh`, `cmd.exe`. */
  readonly shell: string;
  readonly home: string;
}

/**
 * A file that could not be used, with what to do about it. `reason`s are closed so that tools can word them for the model.
 * `changed`: the file no longer holds what was read. `unsaved`: an open editor holds unsaved changes to it.
 */
export class FileError extends Error {
  override readonly name = 'FileError';
  constructor(
    readonly reason:
      | 'not_found'
      | 'not_a_file'
      | 'not_a_folder'
      | 'not_permitted'
      | 'too_large'
      | 'changed'
      | 'unsaved'
      | 'failed',
    readonly path: string,
    options?: ErrorOptions & { detail?: string },
  ) {
    super(options?.detail ?? `${reason}: ${path}`, options);
  }
}

export interface FileContent {
  bytes: Uint8Array;
  /** SHA-256 of the bytes, hex: what a later write must still find. */
  hash: string;
  /** The bytes are an open editor's unsaved text, not the disk's. */
  unsaved: boolean;
}

export interface FileStatus {
  type: 'file' | 'folder' | 'other';
  /** Bytes. */
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

/** All paths are absolute and were resolved by the gate (`TaskContext.resolve`). Every method rejects with FileError. */
export interface FileHost {
  status(path: string): Promise<FileStatus | undefined>;
  /** The whole file; `too_large` past `limit` bytes, before anything is read into memory. */
  read(path: string, options: { limit: number; signal: AbortSignal }): Promise<FileContent>;
  /** Reads bytes [start, end) of the disk's file, for ranges of files too large to read whole. */
  readRange(path: string, start: number, end: number, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Replaces or creates the file in one step (temporary file, fsync, rename; folders are created; mode bits kept).
   * `expected`: hash of what must still be there, or null when the file must not exist. Rejects `changed` / `unsaved`.
   */
  write(path: string, bytes: Uint8Array, expected: string | null): Promise<{ hash: string }>;
  /**
   * Takes a file away, or a folder with all that is in it; links in it are removed, not followed. Into the trash where the machine has one.
   * `expected`: hash of what must still be there; undefined: whatever is. Rejects `changed` / `unsaved`.
   */
  delete(path: string, expected: string | undefined): Promise<{ trashed: boolean }>;
  /** What stands in a folder, in no order. */
  list(path: string): Promise<{ name: string; type: FileStatus['type'] }[]>;
  /** Real paths of files whose unsaved changes an editor holds; absent where there is none. */
  unsaved?(): Promise<string[]>;
  /** The path with every link resolved; parts that do not exist yet are kept. */
  realPath(path: string): Promise<string>;
}

export interface CommandRequest {
  command: string;
  cwd: string;
  /** Whose command it is, so that its terminal can be shown. */
  callId?: string;
  /** Called with output as it comes, control sequences removed. */
  onOutput: (text: string) => void;
  /** Aborts: the whole process tree ends. */
  signal: AbortSignal;
  /** Resolves when the person sends the command to the background: `run` then resolves at once with `background`. */
  background: Promise<void>;
}

export interface CommandResult {
  /** Absent when a signal ended it, or while it runs on in the background. Never 0 for a killed command. */
  exitCode?: number;
  signal?: string;
  background?: boolean;
  /** Of what runs on in the background: how it ends, once it does. */
  ended?: Promise<CommandResult>;
}

/** Runs shell strings that a person has said yes to. */
export interface TerminalHost {
  run(request: CommandRequest): Promise<CommandResult>;
}

/** A proposal under review: `before` on the left, an editable proposal on the right. Focus stays where it is. */
export interface DiffReview {
  /** The person's version of the proposal, as it stands when they approve. */
  text(): Promise<string>;
  close(): Promise<void>;
}

export interface EditorFacts {
  /** Workspace-relative paths with `/`. */
  visibleFiles: string[];
  openTabs: string[];
  /** Absolute real paths of documents with changes that are not saved. */
  unsaved?: string[];
  /** Commands of ours that run in the editor's terminals now: those in the background. */
  terminals?: { name: string; command: string }[];
}

/** A change that is still arriving, to look at. */
export interface EditPreview {
  /** The file as it would be by what has come. */
  update(after: string): void;
  close(): Promise<void>;
}

export interface EditorHost {
  /**
   * Shows a change while it arrives, read-only; a review of the same file takes its place. Focus stays where it is. Absent where
   * nothing can be shown.
   */
  preview?(options: { path: string; before: string | null }): Promise<EditPreview>;
  /** `before` is null for a new file. `path` is absolute. */
  openDiff(options: {
    path: string;
    before: string | null;
    after: string;
    signal: AbortSignal;
  }): Promise<DiffReview>;
  facts(): Promise<EditorFacts>;
  /** What the editor's languages and tools find wrong in these folders now. */
  problems?(): Promise<EditorProblem[]>;
  /** What the terminal in front shows, with what has scrolled away; undefined without one. */
  terminalText?(): Promise<{ name: string; text: string } | undefined>;
}

export interface EditorProblem {
  /** Absolute. */
  path: string;
  /** From 1. */
  line: number;
  column: number;
  severity: 'error' | 'warning';
  /** Who found it, and what they call it: `ts 2304`. Empty when nobody says. */
  source: string;
  message: string;
}

/** What a language service finds wrong in a file. */
export interface Problem {
  /** 1-based. */
  line: number;
  severity: 'error' | 'warning';
  message: string;
  /** Who says it: `ts 2304`, `eslint`; empty when nobody does. */
  source: string;
}

export interface ProblemHost {
  /**
   * What is wrong in the file at this absolute path when it holds this text, once the services have looked at it. Waits some seconds
   * at most, and no longer than the signal; then gives what is known. Does not fail.
   */
  of(path: string, text: string, signal: AbortSignal): Promise<Problem[]>;
}

export interface ReportHost {
  /** Lathe's own. */
  readonly version: string;
  /** Web address of the form for a new report; absent where the project names none or no browser can be opened: reports are saved then. */
  readonly form?: { readonly address: string; open(url: string): Promise<boolean> };
}

/** Web browsers: those of this machine, and one elsewhere that the person named. */
export interface BrowserHost {
  /** The program that is started when the person named none; undefined when none was found. */
  readonly found: string | undefined;
  placeOf(url: URL, signal: AbortSignal): Promise<NetworkPlace>;
  /**
   * A browser of its own, without history or cookies of the person's. `browser`: a program's absolute path or a running
   * browser's address; empty for `found`. Rejects with BrowserError `open`.
   */
  open(options: {
    browser: string;
    sandbox: boolean;
    size: PageSize;
    signal: AbortSignal;
  }): Promise<BrowserSession>;
}

/** One open browser. A step at a time; failures are BrowserErrors. */
export interface BrowserSession {
  readonly isOpen: boolean;
  /** Address of the page in front; empty when there is none. */
  readonly url: string;
  readonly size: PageSize;
  act(step: BrowserStep, signal: AbortSignal): Promise<BrowserSight>;
  picture(mediaType: PictureType, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends it, however it is. Does not fail. */
  close(): Promise<void>;
}

export interface SecretStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}
