import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { lastPage } from '../../src/core/task/journalPages.ts';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { approvalPolicySchema } from '../../src/shared/approvals.ts';
import type { SlashCommand } from '../../src/shared/customModes.ts';
import type { EditorMethods } from '../../src/shared/editor.ts';
import type { Fact, JournalEntry, TaskDelta, TaskEvent } from '../../src/shared/events.ts';
import { builtInModes } from '../../src/shared/modes.ts';
import type {
  FoundService,
  MethodResult,
  ProfileState,
  ProtocolErrorData,
  TaskSummary,
} from '../../src/shared/protocol.ts';
import type { AssistantMessageContent, ToolDetails, ToolView } from '../../src/shared/tools.ts';

export interface Call {
  method: string;
  params: Record<string, unknown>;
}

/** An error that the agent answers with. */
export class Refusal extends Error {
  readonly data: ProtocolErrorData;
  constructor(data: ProtocolErrorData) {
    super(data.message.key);
    this.data = data;
  }
}

type Post = (message: unknown) => Promise<void>;
type Step = Fact | { delta: TaskDelta };

export const model = {
  profile: 'Sonnet',
  provider: 'anthropic',
  model: 'claude-sonnet',
  protocol: 'native',
  contextWindow: 200_000,
} as const;

const profile: ProfileState = {
  name: 'Sonnet',
  provider: 'anthropic',
  model: 'claude-sonnet',
  protocol: 'auto',
  hasKey: true,
};

const about = {
  version: '0.1.0',
  license: 'Apache-2.0',
  editor: 'Visual Studio Code 1.106.3',
  platform: 'linux 6.12.0 x64',
  data: '/home/person/.local/share/lathe',
  links: {},
};

/** The agent's end of the wire, played by a test: it keeps journals, records every call, and says what it is told to say. */
export class ScriptedAgent {
  readonly calls: Call[] = [];
  readonly journals = new Map<string, JournalEntry[]>();
  running = false;
  queued: string[] = [];
  locale: 'en' | 'zh-cn' = 'en';
  trusted = true;
  workspace = '/work/shop';
  taskId: string | undefined;
  profiles: ProfileState[] = [profile];
  active: string | undefined = 'Sonnet';
  services: FoundService[] = [];
  tasks: TaskSummary[] = [];
  /** What the workspace has: folders, and files whose names end with an s. */
  paths = [
    'src/cart.ts',
    'src/features/checkout/components/cart/CartTotalWithDiscounts.ts',
    'src',
    'my files/a.ts',
  ];
  symbols: EditorMethods['editor/findSymbols']['result']['_output']['symbols'] = [];
  mentionable: EditorMethods['editor/mentionable']['result']['_output'] = {
    problems: { count: 0, files: 0 },
  };
  inView: EditorMethods['editor/surroundings']['result']['_output'] = {};
  commands: SlashCommand[] = [];
  servers: MethodResult<'mcp/list'> = {
    servers: [],
    problems: [],
    userFile: '/home/person/.config/lathe/mcp.json',
  };
  policy = approvalPolicySchema.parse({});
  /** Answers other than the usual, by method. */
  readonly answers = new Map<string, (params: Record<string, unknown>) => unknown>();
  #post: Post = () => Promise.resolve();
  #created = 0;

  attach(post: Post): void {
    this.#post = post;
  }

  async handle(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.calls.push({ method, params });
    const answer = this.answers.get(method);
    if (answer) return await answer(params);
    switch (method) {
      case 'editor/ready':
        return {
          locale: this.locale,
          trusted: this.trusted,
          workspace: this.workspace,
          version: '0.1.0',
          ...(this.taskId === undefined ? {} : { taskId: this.taskId }),
        };
      case 'task/create': {
        const taskId = `task-${++this.#created}`;
        this.journals.set(taskId, []);
        this.taskId = taskId;
        this.running = true;
        await this.say(taskId, started(taskId), { type: 'user_message', text: String(params.text) });
        return { taskId };
      }
      case 'task/subscribe': {
        const entries = this.journals.get(String(params.taskId));
        if (!entries)
          throw new Refusal({
            code: 'not_found',
            message: { key: 'error.unknownTask', args: params as never },
          });
        const since = Number(params.since);
        const page = lastPage(entries, Number(params.bytes));
        const cut = page.base.lastSeq > since;
        return {
          ...(cut ? { base: page.base } : {}),
          entries: cut ? page.entries : entries.filter(({ seq }) => seq > since),
          running: this.running,
          queued: this.queued,
        };
      }
      case 'task/page': {
        const entries = this.journals.get(String(params.taskId)) ?? [];
        return lastPage(
          entries.filter(({ seq }) => seq < Number(params.before)),
          Number(params.bytes),
        );
      }
      case 'task/list':
        return this.tasks;
      case 'mode/list':
        return builtInModes;
      case 'mode/overview':
        return {
          modes: builtInModes.map((mode) => ({
            ...{ mode, source: 'builtIn', state: 'used', hash: mode.slug, agreed: false },
          })),
          problems: [],
          files: { global: '/home/lathe/modes.yaml', project: '/work/shop/.lathe/modes.yaml' },
        };
      case 'mcp/list':
        return this.servers;
      case 'rule/list':
        return [];
      case 'profile/list':
        return { profiles: this.profiles, ...(this.active === undefined ? {} : { active: this.active }) };
      case 'profile/save': {
        const saved = params.profile as ProfileState;
        this.profiles = [
          ...this.profiles.filter(({ name }) => name !== saved.name),
          { ...saved, hasKey: 'key' in params },
        ];
        return {};
      }
      case 'profile/select':
        this.active = String(params.name);
        return {};
      case 'profile/test':
        return { ok: true };
      case 'service/find':
        return this.services;
      case 'approval/policy':
        return this.policy;
      case 'approval/setAutomatic':
        this.policy = { ...this.policy, auto: { ...this.policy.auto, ...params } };
        return this.policy;
      case 'approval/revoke':
        this.policy = { ...this.policy, allow: [] };
        return this.policy;
      case 'editor/findPaths':
        return {
          paths: this.paths
            .filter((path) => path.includes(String(params.query)))
            .map((path) => ({ path, kind: path.endsWith('s') ? 'file' : 'folder' })),
        };
      case 'editor/about':
        return about;
      case 'command/explain':
        return { verdict: 'ask', why: [{ key: 'why.command' }], parts: [], more: 0 };
      case 'editor/findSymbols':
        return {
          symbols: this.symbols.filter(({ name }) =>
            name.toLowerCase().includes(String(params.query).toLowerCase()),
          ),
        };
      case 'editor/mentionable':
        return this.mentionable;
      case 'editor/surroundings':
        return this.inView;
      case 'command/list':
        return { commands: this.commands, problems: [] };
      case 'task/search':
        return [];
      case 'checkpoint/list':
        return { checkpoints: [], interrupted: false };
      case 'editor/saveText':
        return { saved: true };
      case 'approval/respond':
        return { accepted: true };
      default:
        return {};
    }
  }

  /** Journals facts and tells them with the deltas between them, as one notification. */
  async say(taskId: string, ...steps: Step[]): Promise<void> {
    const journal = this.journals.get(taskId) ?? [];
    this.journals.set(taskId, journal);
    const events = steps.map((step): TaskEvent => {
      if ('delta' in step) return { kind: 'delta', delta: step.delta };
      const entry = { seq: journal.length + 1, at: Date.now(), ...step };
      journal.push(entry);
      return { kind: 'entry', entry };
    });
    await this.notify('task/events', { taskId, events });
  }

  async notify(name: string, params: unknown): Promise<void> {
    await this.#post({ type: 'notification', name, params });
  }

  /** The calls of a method so far. */
  of(method: string): Record<string, unknown>[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  /** Waits until a method was called that often; gives the last call's parameters. */
  async called(method: string, times = 1): Promise<Record<string, unknown>> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const calls = this.of(method);
      if (calls.length >= times) return calls[times - 1] ?? {};
      await delay(25);
    }
    assert.fail(`${method} was called ${this.of(method).length} times, not ${times}`);
  }
}

export function started(taskId: string): Fact {
  return { type: 'task_started', version: 1, taskId, cwd: '/work/shop', mode: 'code', model };
}

/** A request and its whole answer. */
export function answered(requestId: string, content: AssistantMessageContent[], thought?: string): Fact[] {
  return [
    { type: 'request_started', requestId, model, hash: 'h' },
    {
      type: 'request_finished',
      requestId,
      stopReason: 'tool_calls',
      durationMs: 900,
      usage: {
        inputTokens: 18_400,
        outputTokens: 320,
        cacheReadTokens: 16_000,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        cost: 0.012,
      },
    },
    {
      type: 'assistant_message',
      requestId,
      content,
      ...(thought === undefined ? {} : { reasoning: { text: thought, durationMs: 4200, parts: [] } }),
    },
  ];
}

export function text(value: string): AssistantMessageContent {
  return { type: 'text', text: value, partial: false };
}

export function call(id: string, name: string, params: Record<string, string>): AssistantMessageContent {
  return { type: 'tool_use', id, name, origin: 'native', params, nativeArgs: params, partial: false };
}

export function finished(
  callId: string,
  tool: string,
  view: ToolView,
  more: {
    outcome?: Extract<Fact, { type: 'tool_finished' }>['outcome'];
    content?: string;
    details?: ToolDetails;
    feedback?: string;
    durationMs?: number;
  } = {},
): Fact {
  const { outcome = 'done', content = 'ok', durationMs = 40, details, feedback } = more;
  return {
    type: 'tool_finished',
    callId,
    tool,
    outcome,
    view,
    content: [{ type: 'text', text: `[${tool} for '${view.subject}'] Result:\n${content}` }],
    durationMs,
    ...(details ? { details } : {}),
    ...(feedback === undefined ? {} : { feedback }),
  };
}

export function fileView(kind: 'read' | 'edit' | 'search', path: string): ToolView {
  return { kind, subject: path, locations: [{ path }] };
}

export function commandView(command: string): ToolView {
  return { kind: 'execute', subject: command, locations: [] };
}

/** A command that asks. */
export function commandApproval(
  id: string,
  callId: string,
  command: string,
  dangerous = false,
): { type: 'approval_requested'; request: ApprovalRequest } {
  return {
    type: 'approval_requested',
    request: {
      id,
      taskId: 'task-1',
      reason: 'tool',
      callId,
      tool: 'execute_command',
      actions: [{ type: 'command', command, cwd: '/work/shop', insideWorkspace: true }],
      why: dangerous
        ? [{ key: 'why.outsideWorkspace', args: { path: '/etc/hosts' } }]
        : [{ key: 'why.command' }],
      dangerous,
      options: [
        { id: 'once', kind: 'allow_once' },
        { id: 'exact', kind: 'allow_always', rule: { type: 'command', command, cwd: '/work/shop' } },
        {
          id: 'folder',
          kind: 'allow_always',
          rule: { type: 'folder', access: 'edit', path: '/work/shop/src' },
        },
        { id: 'no', kind: 'reject_once' },
        { id: 'never', kind: 'reject_always', rule: { type: 'command', command, cwd: '/work/shop' } },
      ],
      review: false,
    },
  };
}

export const patch = [
  '--- a/src/cart.ts',
  '+++ b/src/cart.ts',
  '@@ -10,7 +10,8 @@ export function total(items: Item[]): number {',
  '   let sum = 0;',
  '-  for (let index = 1; index < items.length; index++) {',
  '-    sum += items[index].price;',
  '+  for (const item of items) {',
  '+    // Quantities count too, and a long comment shows how a line wraps in a narrow panel.',
  '+    sum += item.price * item.quantity;',
  '   }',
  '   return sum;',
  ' }',
].join('\n');

/** The same change as a model writes it, as far as it has come. */
export const searchReplace = [
  '<<<<<<< SEARCH',
  ':start_line:11',
  '-------',
  '  for (let index = 1; index < items.length; index++) {',
  '    sum += items[index].price;',
  '=======',
  '  for (const item of items) {',
  '    // Quantities count too.',
  '    sum += item.pri',
].join('\n');

export const diffDetails: Extract<ToolDetails, { type: 'diff' }> = {
  type: 'diff',
  path: 'src/cart.ts',
  patch,
  added: 3,
  removed: 2,
  created: false,
  cut: false,
};
