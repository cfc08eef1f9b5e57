import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { message } from '../../src/shared/strings.ts';
import { ARMING_TIME, optionOf, type Answer } from './answerKinds.ts';
import { EMPTY_DRAFT } from './state.ts';
import type { Session } from './Session.ts';
import { CallError } from './transport.ts';
import { waitingFor } from './waitingFor.ts';

/** The person's answers to what waits for them. */
export class Answers {
  readonly #session: Session;
  /** When the first approval that waits was shown, so that no answer is given by a click meant for something else. */
  #shown: { approvalId: string; at: number } | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Answers what waits; the text in the composer rides along. Resolves to whether it was the first answer. */
  respond(request: ApprovalRequest, answer: Answer): void {
    const { draft } = this.#session.store.state;
    const feedback = (answer.text ?? draft.text).trim();
    const ridesAlong = answer.text === undefined && (draft.text !== '' || draft.images.length > 0);
    // A file does not ride along: it stays for the next message.
    if (ridesAlong) this.#session.write({ ...EMPTY_DRAFT, attachments: draft.attachments });
    this.#session.attempt(async () => {
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
        });
        if (!accepted)
          throw new CallError({ code: 'not_found', message: message('webview.alreadyAnswered') });
      } catch (error) {
        if (ridesAlong && this.#session.store.state.draft.text === '') this.#session.write(draft);
        throw error;
      }
    });
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
    if (waiting.reason === 'tool' && waiting.dangerous && outcome === 'allow') {
      this.#session.store.set({ screen: 'chat', error: message('webview.clickToApprove') });
      return;
    }
    this.respond(waiting, { outcome, ...optionOf(waiting, outcome) });
  }
}
