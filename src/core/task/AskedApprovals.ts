import type { ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import type { Fact } from '../../shared/events.ts';

/** A proposed text of one file, which a person may give back changed. */
export interface AskedText {
  /** Its path as it is shown. */
  shown: string;
  text: string;
}

export interface AskOptions {
  /** What can be changed by words of a front end. */
  proposal?: AskedText | undefined;
  /**
   * Adds to an answer what only this machine knows before it is journalled; `written` came with it to take the place of the proposal.
   */
  complete?: (decision: ApprovalDecision, written: string | undefined) => Promise<ApprovalDecision>;
}

interface Answer {
  decision: ApprovalDecision;
  written: string | undefined;
}

/** What waits for an answer in this process. */
interface Asked {
  proposal: AskedText | undefined;
  answer: (answer: Answer) => void;
}

/** What a task asks, until it is answered. */
export class AskedApprovals {
  readonly #record: (fact: Fact) => Promise<unknown>;
  readonly #waiting = new Map<string, Asked>();

  constructor(record: (fact: Fact) => Promise<unknown>) {
    this.#record = record;
  }

  async ask(
    request: ApprovalRequest,
    signal: AbortSignal,
    { proposal, complete }: AskOptions,
  ): Promise<ApprovalDecision> {
    const answered = new Promise<Answer>((answer) => this.#waiting.set(request.id, { proposal, answer }));
    const cancel = (): void => void this.respond(request.id, { outcome: 'cancelled', by: 'policy' });
    try {
      await this.#record({ type: 'approval_requested', request });
      if (signal.aborted) cancel();
      else signal.addEventListener('abort', cancel, { once: true });
      const { decision: given, written } = await answered;
      const decision = complete ? await complete(given, written) : given;
      await this.#record({ type: 'approval_resolved', approvalId: request.id, decision });
      return decision;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(request.id);
    }
  }

  /** False when nothing waits for this answer. */
  respond(approvalId: string, decision: ApprovalDecision, written?: string): boolean {
    const waiting = this.#waiting.get(approvalId);
    if (!waiting) return false;
    this.#waiting.delete(approvalId);
    waiting.answer({ decision, written });
    return true;
  }

  get(approvalId: string): Pick<Asked, 'proposal'> | undefined {
    return this.#waiting.get(approvalId);
  }
}
