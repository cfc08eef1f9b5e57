import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { ToolItem } from '../../src/shared/viewItems.ts';
import { message } from '../../src/shared/strings.ts';
import { ARMING_TIME, optionOf, type Answer } from './answerKinds.ts';
import { Changes } from './Changes.ts';
import type { Memory } from './Memory.ts';
import { isPlainRead } from './approvals/sameReads.ts';
import { EMPTY_DRAFT } from './state.ts';
import type { Session } from './Session.ts';
import { CallError } from './transport.ts';
import { waitingFor } from './waitingFor.ts';

/** The person's answers to what waits for them. */
export class Answers {
  readonly changes: Changes;
  readonly #session: Session;
  /** When the first approval that waits was shown, so that no answer is given by a click meant for something else. */
  #shown: { approvalId: string; at: number } | undefined;
  /** Calls that the person has agreed to, seeing them in the transcript, before they asked: keys of their items. */
  readonly #agreed = new Set<string>();

  constructor(session: Session, memory: Memory) {
    this.#session = session;
    this.changes = new Changes(session, memory);
    session.store.subscribe(() => this.#answerAgreed());
  }

  /** Answers what waits; the text in the composer rides along. */
  respond(request: ApprovalRequest, answer: Answer): void {
    if (answer.written === undefined) this.changes.answeredOtherwise(request.id);
    this.#session.attempt(async () => await this.send(request, answer));
  }

  /** Resolves when it was the first answer. @throws CallError when it was not, or could not be sent */
  async send(request: ApprovalRequest, answer: Answer): Promise<void> {
    const { draft } = this.#session.store.state;
    const feedback = (answer.text ?? draft.text).trim();
    const ridesAlong = answer.text === undefined && (draft.text !== '' || draft.images.length > 0);
    // A file does not ride along: it stays for the next message.
    if (ridesAlong) this.#session.write({ ...EMPTY_DRAFT, attachments: draft.attachments });
    try {
      const { accepted } = await this.#session.transport.call('approval/respond', {
        taskId: request.taskId,
        approvalId: request.id,
        decision: {
          outcome: answer.outcome,
          by: 'person',
          ...(answer.option ? { optionId: answer.option.id } : {}),
          ...(feedback === '' ? {} : { feedback }),
          ...(ridesAlong && draft.images.length > 0 ? { images: [...draft.images] } : {}),
          ...(answer.mode === undefined ? {} : { mode: answer.mode }),
        },
        ...(answer.written === undefined ? {} : { text: answer.written }),
      });
      if (!accepted) throw new CallError({ code: 'not_found', message: message('webview.alreadyAnswered') });
    } catch (error) {
      if (ridesAlong && this.#session.store.state.draft.text === '') this.#session.write(draft);
      throw error;
    }
  }

  /** Answers yes, and yes again when these calls ask, as long as what they ask is to read. */
  approveReads(request: ApprovalRequest, calls: readonly ToolItem[]): void {
    for (const { key } of calls) this.#agreed.add(key);
    this.respond(request, { outcome: 'allow', ...optionOf(request, 'allow') });
  }

  #answerAgreed(): void {
    if (this.#agreed.size === 0) return;
    const { view } = this.#session.store.state;
    for (const request of view.pending) {
      if (!isPlainRead(request)) continue;
      // Another message may give its call the same id, but not the same place in the task.
      const key = view.items[view.openCalls.get(request.callId) ?? -1]?.key;
      if (key !== undefined && this.#agreed.delete(key))
        this.respond(request, { outcome: 'allow', text: '', ...optionOf(request, 'allow') });
    }
  }

  shown(approvalId: string): void {
    this.#shown = { approvalId, at: performance.now() };
  }

  /** A click or key right after the buttons appeared was meant for something else. */
  isArmed(approvalId: string): boolean {
    return this.#shown?.approvalId === approvalId && performance.now() - this.#shown.at >= ARMING_TIME;
  }

  /** A key approves what is plain; what is dangerous takes a click on its button. */
  byKey(outcome: 'allow' | 'reject'): void {
    const [waiting] = waitingFor(this.#session.store.state);
    if (!waiting || waiting.reason === 'question' || !this.isArmed(waiting.id)) return;
    if (!this.#session.store.state.connected) return;
    if (waiting.reason === 'tool' && waiting.dangerous && outcome === 'allow') {
      this.#session.store.set({ screen: 'chat', error: message('webview.clickToApprove') });
      return;
    }
    // What is seen of the proposal then is the person's version of it.
    if (outcome === 'allow' && waiting.reason === 'tool' && this.changes.isOpen(waiting.id))
      this.changes.approve(waiting);
    else this.respond(waiting, { outcome, ...optionOf(waiting, outcome) });
  }
}
