import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Internals } from '../../../src/extension.ts';
import type { ApprovalDecision, ApprovalRequest } from '../../../src/shared/approvals.ts';
import type { JournalEntry, TaskEvent } from '../../../src/shared/events.ts';
import { ScriptedModel, type Turn } from '../../support/ScriptedModel.ts';

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

export const PROFILE = 'Scripted';

/** The extension that runs in this window, as `activate` gives it to tests. */
export async function internals(): Promise<Internals> {
  const extension = vscode.extensions.getExtension<Internals | undefined>('lathe.lathe');
  assert.ok(extension, 'VS Code does not know the extension');
  const given = await extension.activate();
  assert.ok(given, 'the extension does not know that it is tested');
  return given;
}

/** The first folder of the workspace; absolute. */
export function folder(): string {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'no folder is open');
  return first.uri.fsPath;
}

/** Waits for something to be so; says what was missing when it never is. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await sleep(20);
  }
}

/** The extension of this window with a scripted model as its person's model, and everything that its agent told. */
export class Lathe {
  readonly told: { taskId: string; event: TaskEvent }[] = [];
  readonly #stopListening: () => void;

  private constructor(
    readonly extension: Internals,
    readonly parts: Awaited<ReturnType<Internals['loaded']>>,
    readonly model: ScriptedModel,
  ) {
    this.#stopListening = parts.agent.onNotification((name, params) => {
      if (name !== 'task/events' || !('events' in params)) return;
      for (const event of params.events) this.told.push({ taskId: params.taskId, event });
    });
  }

  static async start(): Promise<Lathe> {
    const extension = await internals();
    const parts = await extension.loaded();
    const model = await ScriptedModel.start([]);
    const profile = {
      name: PROFILE,
      provider: 'openai-compatible',
      protocol: 'xml',
      model: 'scripted',
      baseUrl: model.url,
    } as const;
    await parts.agent.dispatcher.call('profile/save', { profile });
    await parts.agent.dispatcher.call('profile/select', { name: PROFILE });
    return new Lathe(extension, parts, model);
  }

  /** Ends every turn that a test has left, and the model. */
  async stop(): Promise<void> {
    for (const taskId of new Set(this.told.map((one) => one.taskId)))
      await this.parts.agent.dispatcher.call('task/cancel', { taskId });
    this.#stopListening();
    await this.model.stop();
  }

  /** A new task; the model answers with these turns. Gives the task's id. */
  async task(text: string, turns: Turn[], cwd?: string): Promise<string> {
    this.model.turns.length = this.model.requests.length;
    this.model.turns.push(...turns);
    const { taskId } = await this.parts.agent.dispatcher.call('task/create', {
      text,
      mode: 'code',
      ...(cwd === undefined ? {} : { cwd }),
    });
    return taskId;
  }

  entries<T extends JournalEntry['type']>(taskId: string, type: T): EntryOf<T>[] {
    return this.told.flatMap((one) =>
      one.taskId === taskId && one.event.kind === 'entry' && one.event.entry.type === type
        ? [one.event.entry as EntryOf<T>]
        : [],
    );
  }

  /** The task's newest request for an answer, once there is one that was not answered. */
  async asked(taskId: string): Promise<ApprovalRequest> {
    const open = (): ApprovalRequest | undefined => {
      const answered = this.entries(taskId, 'approval_resolved').map(({ approvalId }) => approvalId);
      return this.entries(taskId, 'approval_requested')
        .map(({ request }) => request)
        .find(({ id }) => !answered.includes(id));
    };
    await until(() => open() !== undefined, 'a request for approval');
    const request = open();
    assert.ok(request);
    return request;
  }

  /** Answers what the task asks, as a click in the sidebar does. */
  async answer(taskId: string, decision: Omit<ApprovalDecision, 'by'>): Promise<void> {
    const { id } = await this.asked(taskId);
    const { accepted } = await this.parts.agent.dispatcher.call('approval/respond', {
      taskId,
      approvalId: id,
      decision: { ...decision, by: 'person' },
    });
    assert.equal(accepted, true);
    await until(
      () => this.entries(taskId, 'approval_resolved').some(({ approvalId }) => approvalId === id),
      'the answer in the journal',
    );
  }

  /** How the task's turn ended, once it has. */
  async ended(taskId: string): Promise<string> {
    await until(() => this.entries(taskId, 'task_finished').length > 0, 'the end of the turn');
    return this.entries(taskId, 'task_finished').at(-1)?.reason ?? '';
  }

  /** Each finished call's tool, outcome and words for the model. */
  results(taskId: string): { tool: string; outcome: string; text: string }[] {
    return this.entries(taskId, 'tool_finished').map(({ tool, outcome, content }) => ({
      tool,
      outcome,
      text: content.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join('\n'),
    }));
  }
}
