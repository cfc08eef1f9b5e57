import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type AgentOptions } from '../../src/core/Agent.ts';
import { MentionSuggestions } from '../../src/core/context/mentions/MentionSuggestions.ts';
import type { EditorHost, Host } from '../../src/core/host/Host.ts';
import type { PageOptions } from '../../src/frontends/server/HttpServer.ts';
import { assertReplays } from './assertReplays.ts';
import { NodeHost } from '../../src/hosts/node/NodeHost.ts';
import { createProvider } from '../../src/providers/registry.ts';
import type { Timer } from '../../src/providers/Watch.ts';
import type {
  ApprovalDecision,
  ApprovalPolicy,
  ApprovalRequest,
  AutoApproval,
} from '../../src/shared/approvals.ts';
import type { JournalEntry, TaskEvent } from '../../src/shared/events.ts';
import { editorSettingsSchema, type EditorSettings, type Profile } from '../../src/shared/settings.ts';

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

export interface TestAgentOptions {
  cwd: string;
  /** LATHE_HOME; a throw-away one by default. */
  home?: string;
  profile: Partial<Profile> & Pick<Profile, 'provider'>;
  key?: string;
  automatic?: Partial<AutoApproval>;
  /** Answers what asks; without it nobody is there. */
  answer?: (request: ApprovalRequest) => Omit<ApprovalDecision, 'by'> | undefined;
  /** Who is there, where a front end of the test answers. */
  attended?: AgentOptions['attended'];
  answersInText?: boolean;
  /** Tasks at rest that stay in memory. */
  keptAtRest?: number;
  settings?: Partial<EditorSettings>;
  retryLimit?: number;
  idleTimeoutMs?: number;
  /** What the waits for the model run on; the platform’s own unless given. */
  timer?: Timer;
  /** Whether files of the workspace may define modes and commands; they may unless this says no. */
  trustsProject?: () => boolean;
  /** Whether the workspace is trusted; it is unless said. */
  trusted?: boolean;
  /** An editor around the machine; none without it. */
  editor?: EditorHost;
  /** Servers of tools; none without it. */
  mcp?: Host['mcp'];
  /** Where commands run that nobody is asked about; nowhere without it. */
  sandbox?: Host['sandbox'];
  /** What the person kept: rules and what is automatic. */
  approval?: Partial<ApprovalPolicy>;
}

/** The real agent on the real disk, talking to a scripted model over real HTTP, with a person who answers by a function. */
export class TestAgent {
  readonly events: TaskEvent[] = [];
  readonly home: string;
  readonly agent: Agent;
  readonly errors: string[] = [];
  /** The tasks whose turns ended, in order. */
  readonly ends: string[] = [];
  /** What the web chat of a server shows of it. */
  readonly page: Omit<PageOptions, 'folder'>;
  readonly #host: NodeHost;
  readonly #ownHome: boolean;

  private constructor(options: TestAgentOptions, host: NodeHost) {
    this.#ownHome = options.home === undefined;
    this.home = options.home ?? mkdtempSync(join(tmpdir(), 'lathe-home-'));
    this.#host = host;
    const { cwd } = options;
    this.page = {
      ...{ home: this.home, license: 'test', workspace: cwd },
      suggestions: new MentionSuggestions(host, cwd, new AbortController().signal),
    };
    const { settings, answer } = options;
    if (options.approval)
      writeFileSync(join(this.home, 'settings.json'), JSON.stringify({ approval: options.approval }));
    const agentOptions: AgentOptions = {
      host: {
        files: host.files,
        terminal: host.terminal,
        browser: host.browser,
        ripgrep: host.ripgrep,
        system: host.system,
        ...(options.editor ? { editor: options.editor } : {}),
        ...(options.sandbox ? { sandbox: options.sandbox } : {}),
        ...(options.mcp ? { mcp: options.mcp } : {}),
      },
      home: this.home,
      cwd: () => options.cwd,
      trusted: () => options.trusted ?? true,
      ...(options.trustsProject ? { trustsProject: options.trustsProject } : {}),
      attended: options.attended ?? answer !== undefined,
      ...(options.keptAtRest === undefined ? {} : { keptAtRest: options.keptAtRest }),
      ...(options.answersInText === undefined ? {} : { answersInText: options.answersInText }),
      logger: {
        info: () => undefined,
        warn: (text) => this.errors.push(text),
        error: (text, error) => this.errors.push(`${text}: ${String(error)}`),
      },
      editorSettings: () => editorSettingsSchema.parse(settings ?? {}),
      findServices: () => Promise.resolve([]),
      createProvider: (profile, key) =>
        createProvider(profile, {
          key,
          idleTimeoutMs: options.idleTimeoutMs ?? 10_000,
          retryLimit: options.retryLimit ?? 0,
          ...(options.timer ? { timer: options.timer } : {}),
        }),
      fixedProfile: {
        profile: { name: 'test', model: 'scripted', protocol: 'xml', ...options.profile },
        key: options.key ?? 'test-key',
      },
      automatic: { read: true, edit: false, switchMode: false, all: false, ...options.automatic },
    };
    this.agent = new Agent(agentOptions);
    this.agent.onNotification((name, params) => {
      if (name !== 'task/events' || !('events' in params)) return;
      for (const event of params.events) {
        this.events.push(event);
        if (event.kind === 'entry' && event.entry.type === 'task_finished') this.ends.push(params.taskId);
        if (event.kind === 'entry' && event.entry.type === 'approval_requested')
          this.#answer(event.entry.request, answer);
      }
    });
  }

  static async start(options: TestAgentOptions): Promise<TestAgent> {
    return new TestAgent(options, await NodeHost.create(process.env));
  }

  /** Starts a task; resolves with its id when its turn has ended. */
  async run(text: string, mode?: string): Promise<string> {
    const { taskId } = await this.agent.dispatcher.call('task/create', {
      text,
      ...(mode === undefined ? {} : { mode }),
    });
    await this.ended(1);
    return taskId;
  }

  /** Resolves when this many turns have ended. */
  async ended(count: number): Promise<void> {
    const over = (): boolean =>
      this.entries('task_finished').length +
        this.events.filter((event) => event.kind === 'delta' && event.delta.type === 'turn_failed').length >=
      count;
    await this.until(over, `${count} ended turns`);
  }

  /** Waits for something to be so; says what was missing, and what there was, when it never is. */
  async until(condition: () => boolean, what: string): Promise<void> {
    for (const end = Date.now() + 15_000; Date.now() < end;) {
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(
      `never came: ${what}. There were: ${this.events.map((event) => (event.kind === 'entry' ? event.entry.type : event.delta.type)).join(', ')}. ${this.errors.join('\n')}`,
    );
  }

  entries<T extends JournalEntry['type']>(type: T): EntryOf<T>[] {
    return this.events.flatMap((event) =>
      event.kind === 'entry' && event.entry.type === type ? [event.entry as EntryOf<T>] : [],
    );
  }

  /** Each call's tool, outcome and words for the model. */
  results(): { tool: string; outcome: string; text: string }[] {
    return this.entries('tool_finished').map(({ tool, outcome, content }) => ({
      tool,
      outcome,
      text: content.map((part) => (part.type === 'text' ? part.text : `(${part.mediaType})`)).join('\n'),
    }));
  }

  async stop(): Promise<void> {
    await this.agent.dispose();
    await this.#host.dispose();
    await assertReplays(this.home);
    if (this.#ownHome) rmSync(this.home, { recursive: true, force: true });
  }

  #answer(request: ApprovalRequest, answer: TestAgentOptions['answer']): void {
    const decision = answer?.(request);
    if (!decision) return;
    void this.agent.dispatcher.call('approval/respond', {
      taskId: request.taskId,
      approvalId: request.id,
      decision,
    });
  }
}
