import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { KeptChange } from '../../src/shared/editor.ts';
import { MAX_CHANGED_TEXT } from '../../src/shared/approvalMethods.ts';
import { message } from '../../src/shared/strings.ts';
import type { TaskView } from '../../src/shared/viewItems.ts';
import { optionOf } from './answerKinds.ts';
import { withEntry, type Memory } from './Memory.ts';
import type { Session } from './Session.ts';
import { CallError } from './transport.ts';

export type ToolRequest = Extract<ApprovalRequest, { reason: 'tool' }>;

/** Texts that outlive the page at most, and characters of one that does. */
const MOST_KEPT = 5;
const LARGEST_KEPT = 200_000;

/**
 * What a person makes of proposed files where there is no diff editor. Their text is kept until it has landed, or until they have seen
 * that it has not.
 */
export class Changes {
  readonly #session: Session;
  readonly #memory: Memory;
  /** By approval, texts that are not as proposed. */
  readonly #kept: Map<string, KeptChange>;
  /** Approvals whose answer is on its way. */
  readonly #sending = new Set<string>();

  constructor(session: Session, memory: Memory) {
    this.#session = session;
    this.#memory = memory;
    this.#kept = new Map(Object.entries(memory.kept.changes ?? {}));
    session.store.subscribe(() => this.#look());
  }

  /** Whether the proposal is shown as a text to change. */
  isOpen(approvalId: string): boolean {
    return this.#session.store.state.changing?.approvalId === approvalId;
  }

  /** What the person has written of it; undefined while that is what was proposed. */
  kept(approvalId: string): Readonly<KeptChange> | undefined {
    return this.#kept.get(approvalId);
  }

  open({ id: approvalId, taskId }: ToolRequest): void {
    const { store, transport } = this.#session;
    store.set({ changing: { approvalId, file: undefined } });
    this.#session.attempt(async () => {
      try {
        const { path, text } = await transport.call('approval/proposal', { taskId, approvalId });
        if (!this.isOpen(approvalId)) return;
        const kept = this.#kept.get(approvalId);
        if (kept) this.#keep(approvalId, { ...kept, open: true });
        // As a field gives it back.
        store.set({ changing: { approvalId, file: { path, text: text.replace(/\r\n?/g, '\n') } } });
      } catch (error) {
        this.close(approvalId);
        throw error;
      }
    });
  }

  /** Back to the proposal; what was written stays. */
  close(approvalId: string): void {
    const kept = this.#kept.get(approvalId);
    if (kept) this.#keep(approvalId, { ...kept, open: false });
    if (this.isOpen(approvalId)) this.#session.store.set({ changing: undefined });
  }

  write({ id, taskId, callId }: ToolRequest, text: string): void {
    const { changing } = this.#session.store.state;
    if (!changing?.file || changing.approvalId !== id) return;
    const { path } = changing.file;
    if (text === changing.file.text) this.#forget(id);
    else this.#keep(id, { taskId, callId, path, text, open: true, sent: false });
  }

  /** Answers yes with what stands there. */
  approve(request: ToolRequest): void {
    const { changing } = this.#session.store.state;
    if (!changing?.file || !this.isOpen(request.id) || this.#sending.has(request.id)) return;
    const change = this.#kept.get(request.id);
    if ((change?.text.length ?? 0) > MAX_CHANGED_TEXT) {
      const words = message('changes.tooLong', { most: MAX_CHANGED_TEXT });
      this.#session.fail(new CallError({ code: 'unavailable', message: words }));
      return;
    }
    this.#sending.add(request.id);
    this.#session.attempt(async () => {
      try {
        if (change) this.#keep(request.id, { ...change, sent: true });
        await this.#session.answers.send(request, {
          outcome: 'allow',
          ...optionOf(request, 'allow'),
          ...(change ? { written: change.text } : {}),
        });
        this.#session.focusComposer();
      } catch (error) {
        // Where the line broke nobody knows; what becomes of the call says it.
        const refused = error instanceof CallError && error.code === 'not_found';
        if (change && refused) this.#keep(request.id, { ...change, sent: false });
        throw error;
      } finally {
        this.#sending.delete(request.id);
        this.#look();
      }
    });
  }

  /** The person answered without their text: what they had set aside has no further use; what they have before them may have. */
  answeredOtherwise(approvalId: string): void {
    if (!this.isOpen(approvalId)) this.#forget(approvalId);
  }

  /** They have seen that it was not used. */
  dismissUnused(): void {
    const { unused } = this.#session.store.state;
    if (unused) this.#forget(unused.approvalId);
    this.#look();
  }

  /** Finds what has landed, and what has not. */
  #look(): void {
    const { store } = this.#session;
    const { view, subtasks, unused, changing } = store.state;
    const views = [view, ...subtasks.map((subtask) => subtask.view)].filter(({ lastSeq }) => lastSeq > 0);
    let first: typeof unused;
    for (const [approvalId, change] of this.#kept) {
      const seen = views.find(({ taskId }) => taskId === change.taskId);
      if (!seen || this.#sending.has(approvalId)) continue;
      const end = endOf(seen, approvalId, change);
      if (end === 'landed') this.#forget(approvalId);
      if (end === 'unused') first ??= { approvalId, path: change.path, text: change.text };
      if (end !== 'open' && changing?.approvalId === approvalId) store.set({ changing: undefined });
    }
    if (first?.approvalId !== unused?.approvalId) store.set({ unused: first });
  }

  #keep(approvalId: string, change: KeptChange): void {
    this.#kept.set(approvalId, change);
    this.#remember(approvalId, change.text.length > LARGEST_KEPT ? undefined : change);
  }

  #forget(approvalId: string): void {
    if (this.#kept.delete(approvalId)) this.#remember(approvalId, undefined);
  }

  #remember(approvalId: string, change: KeptChange | undefined): void {
    const { changes = {} } = this.#memory.kept;
    this.#memory.keep({ changes: withEntry(changes, approvalId, change, MOST_KEPT) });
  }
}

/** What became of it: `open` as long as nobody can say. */
function endOf(
  view: TaskView,
  approvalId: string,
  { callId, sent }: KeptChange,
): 'open' | 'landed' | 'unused' {
  if (view.pending.some(({ id }) => id === approvalId)) return 'open';
  if (!sent) return 'unused';
  const call = view.items.findLast((item) => item.type === 'tool' && item.callId === callId);
  if (call?.type !== 'tool') return 'open';
  switch (call.state) {
    case 'done':
      return 'landed';
    case 'streaming':
    case 'queued':
    case 'waiting':
    case 'running':
    case 'background':
      return 'open';
    default:
      return 'unused';
  }
}
