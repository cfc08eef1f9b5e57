import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AssistantMessageParser } from '../../src/core/assistant-message/AssistantMessageParser.ts';
import { FileGate } from '../../src/core/context/FileGate.ts';
import type { Host } from '../../src/core/host/Host.ts';
import type { ModelFacts } from '../../src/core/provider/Provider.ts';
import type { ApprovalAnswer, BaseTool, Preparation, ToolResponse } from '../../src/core/tools/BaseTool.ts';
import { parserTools, toolByName } from '../../src/core/tools/index.ts';
import type { Question, TaskContext, WantedSubtask } from '../../src/core/tools/TaskContext.ts';
import { WorkspaceNotes } from '../../src/core/notes/WorkspaceNotes.ts';
import { TaskBrowser } from '../../src/core/tools/TaskBrowser.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { NodeHost } from '../../src/hosts/node/NodeHost.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import { editorSettingsSchema, type EditorSettings } from '../../src/shared/settings.ts';
import type { ResultContent, TodoItem, ToolUse } from '../../src/shared/tools.ts';
import { xmlCall } from './ScriptedModel.ts';
import { stepwise } from './stepwise.ts';

export interface TestContextOptions {
  /** Path in the workspace → content. */
  files?: Record<string, string | Uint8Array>;
  settings?: Partial<EditorSettings>;
  /** A built-in one by its slug, or one of the test's own. */
  mode?: string | ModeConfig;
  /** Tokens of the window that are free. */
  contextLeft?: number;
  images?: boolean;
  host?: Partial<Host>;
  fastApply?: NonNullable<TaskContext['fastApply']>;
  makePicture?: NonNullable<TaskContext['makePicture']>;
  /** What people wrote for agents, by name. */
  instructions?: {
    rules?: Record<string, Awaited<ReturnType<TaskContext['instructions']['rule']>>>;
    commands?: Record<string, Awaited<ReturnType<TaskContext['instructions']['command']>>>;
  };
  /** The person's answer to a question; none without it. */
  answer?: Awaited<ReturnType<TaskContext['ask']>>;
}

export interface CallOptions {
  answer?: ApprovalAnswer;
  failed?: readonly string[];
  done?: readonly string[];
  signal?: AbortSignal;
  background?: Promise<void>;
  /** Runs after the call was prepared, before it is answered. */
  whileAsked?: () => void;
  onOutput?: (text: string) => void;
  /** Runs right before and right after each thing that the call asks of its machine, its task or a service. */
  onStep?: () => unknown;
}

/** What came of one call: its result, the words of its failure, or a denial. */
export interface Outcome {
  response?: ToolResponse;
  /** The result's text. */
  text?: string;
  error?: string;
  denied?: true;
  prepared?: Preparation<unknown>;
}

/** A workspace on the real disk, with the real gate, a real shell and ripgrep, in which single calls are made. */
export class TestContext {
  /** The workspace root, links resolved. */
  readonly root: string;
  readonly artifacts: string;
  readonly home: string;
  readonly browser: TaskBrowser;
  readonly todos: TodoItem[] = [];
  readonly condensed: string[] = [];
  readonly switched: { slug: string; reason?: string }[] = [];
  readonly asked: Question[] = [];
  readonly subtasks: WantedSubtask[] = [];
  /** Whether calls come behind content from outside. */
  afterUntrusted = false;
  readonly #options: TestContextOptions;
  readonly #host: NodeHost;
  readonly #gate: FileGate;
  readonly #base: string;
  readonly #hashes = new Map<string, string>();

  private constructor(options: TestContextOptions, host: NodeHost) {
    this.#options = options;
    this.#host = host;
    this.browser = new TaskBrowser(
      options.host?.browser ?? host.browser,
      editorSettingsSchema.parse(options.settings ?? {}),
    );
    this.#base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-tools-')));
    this.root = join(this.#base, 'workspace');
    this.home = join(this.#base, 'home');
    this.artifacts = join(this.home, 'artifacts');
    mkdirSync(this.root);
    mkdirSync(this.artifacts, { recursive: true });
    for (const [path, content] of Object.entries(options.files ?? {})) this.write(path, content);
    this.#gate = new FileGate({ root: this.root, homes: [this.home], files: host.files });
  }

  static async create(options: TestContextOptions = {}): Promise<TestContext> {
    return new TestContext(options, await NodeHost.create(process.env));
  }

  async dispose(): Promise<void> {
    await this.browser.close();
    await this.#host.dispose();
    rmSync(this.#base, { recursive: true, force: true });
  }

  write(path: string, content: string | Uint8Array): void {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** A call as an XML model writes it. */
  async xml(name: string, params: Record<string, string>, options: CallOptions = {}): Promise<Outcome> {
    return await this.run(parseXml(xmlCall(name, params)), options);
  }

  /** A call as a native model sends it. */
  async native(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<Outcome> {
    return await this.run(parseNative(name, args), options);
  }

  /** One call through the tool's own handle(), as a turn makes it. */
  async run(block: ToolUse, options: CallOptions = {}): Promise<Outcome> {
    const tool = toolByName(block.name);
    if (!tool) throw new Error(`no tool ${block.name}`);
    const outcome: Outcome = {};
    const answer = options.answer ?? { allowed: true };
    await tool.handle(block as ToolUse<BaseTool['name']>, this.context(block, options), {
      toolCallId: block.id,
      askApproval: (prepared) => {
        outcome.prepared = prepared;
        options.whileAsked?.();
        return Promise.resolve(answer);
      },
      started: () => Promise.resolve(),
      progress: { output: options.onOutput ?? (() => undefined) },
      pushToolResult: (response) => {
        outcome.response = response;
        outcome.text = textOf(response.content);
        return Promise.resolve();
      },
      pushDenied: () => {
        outcome.denied = true;
        return Promise.resolve();
      },
      handleError: (error) => {
        // A bug or an abort is for the test to see; only words for the model are an outcome.
        if (!(error instanceof ToolError)) throw error;
        outcome.error = error.message;
        return Promise.resolve();
      },
    });
    return outcome;
  }

  context(block: Pick<ToolUse, 'id' | 'origin'>, options: CallOptions = {}): TaskContext {
    const context = this.#context(block, options);
    return options.onStep === undefined ? context : stepwise(context, options.onStep, context.signal);
  }

  #context(block: Pick<ToolUse, 'id' | 'origin'>, options: CallOptions): TaskContext {
    const signal = options.signal ?? new AbortController().signal;
    const { mode: wanted = 'code' } = this.#options;
    const mode = typeof wanted === 'string' ? modeOf(wanted) : wanted;
    const model: ModelFacts = { images: this.#options.images ?? false, nativeTools: true };
    return {
      callId: block.id,
      origin: block.origin,
      artifactsFolder: this.artifacts,
      cwd: this.root,
      mode,
      host: {
        files: this.#host.files,
        terminal: this.#host.terminal,
        browser: this.#host.browser,
        ripgrep: this.#host.ripgrep,
        system: this.#host.system,
        ...this.#options.host,
      },
      settings: editorSettingsSchema.parse(this.#options.settings ?? {}),
      signal,
      model,
      contextLeft: this.#options.contextLeft,
      resolve: async (path, access) => await this.#gate.resolve(path, access, mode, signal),
      isIgnored: (path) => this.#gate.ignore.hides(path),
      isWithheld: (path, walked) => this.#gate.withholds(path, { deny: [], secrets: walked.protected }),
      freshness: {
        noteRead: (path, hash) => {
          if (hash === null) this.#hashes.delete(path);
          else this.#hashes.set(path, hash);
        },
        lastRead: (path) => this.#hashes.get(path),
      },
      todos: {
        list: () => this.todos,
        update: (todos) => {
          this.todos.splice(0, Infinity, ...todos);
          return Promise.resolve();
        },
      },
      modes: {
        list: () => builtInModes,
        switchTo: (slug, reason) => {
          this.switched.push({ slug, ...(reason === undefined ? {} : { reason }) });
          return Promise.resolve();
        },
      },
      subtasks: {
        run: (wanted) => {
          if (wanted) this.subtasks.push(wanted);
          return Promise.resolve({ content: 'its result' });
        },
      },
      instructions: {
        rule: (name) => Promise.resolve(named(this.#options.instructions?.rules, name)),
        command: (name) => Promise.resolve(named(this.#options.instructions?.commands, name)),
      },
      ask: (question) => {
        this.asked.push(question);
        return Promise.resolve(this.#options.answer);
      },
      condense: (summary) => {
        this.condensed.push(summary);
        return Promise.resolve('condensed');
      },
      afterUntrusted: this.afterUntrusted,
      browser: this.browser,
      notes: async () => await WorkspaceNotes.of(this.home, this.root, this.#host.files),
      ...(this.#options.fastApply ? { fastApply: this.#options.fastApply } : {}),
      ...(this.#options.makePicture ? { makePicture: this.#options.makePicture } : {}),
      failedInMessage: options.failed ?? [],
      doneInMessage: options.done ?? [],
      background: options.background ?? new Promise(() => undefined),
    };
  }
}

/** Makes the context of each test and takes it away afterwards. */
export function withContext(): (options?: TestContextOptions) => Promise<TestContext> {
  const open: TestContext[] = [];
  afterEach(async () => {
    for (const context of open.splice(0)) await context.dispose();
  });
  return async (options) => {
    const context = await TestContext.create(options);
    open.push(context);
    return context;
  };
}

/** The first call of an XML message, by the real parser. */
export function parseXml(text: string): ToolUse {
  const parser = new AssistantMessageParser({ tools: parserTools(), xml: true, mintId: () => 'call_1' });
  parser.text(text);
  parser.finish();
  return callOf(parser);
}

/** A native call, by the real parser. */
export function parseNative(name: string, args: Record<string, unknown>): ToolUse {
  const parser = new AssistantMessageParser({ tools: parserTools(), xml: false });
  parser.nativeStart('call_1', name);
  parser.nativeDelta('call_1', JSON.stringify(args));
  parser.nativeEnd('call_1');
  parser.finish();
  return callOf(parser);
}

/** A call's parameters as its tool takes them. */
export function decoded(block: ToolUse): Record<string, unknown> {
  const tool = toolByName(block.name);
  if (!tool) throw new Error(`no tool ${block.name}`);
  return tool.decode(block);
}

export function textOf(content: string | ResultContent[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `(${part.mediaType})`)).join('\n');
}

function callOf(parser: AssistantMessageParser): ToolUse {
  const call = parser.blocks().find((block) => block.type === 'tool_use');
  if (!call) throw new Error(`no call in ${JSON.stringify(parser.blocks())}`);
  return call;
}

function named<T>(texts: Readonly<Record<string, T>> = {}, name: string): T | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

function modeOf(slug: string): ModeConfig {
  const mode = builtInModes.find((one) => one.slug === slug);
  if (!mode) throw new Error(`no mode ${slug}`);
  return mode;
}
