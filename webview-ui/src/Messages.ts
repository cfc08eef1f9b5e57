import type { MethodInput } from '../../src/shared/protocol.ts';
import { answerBySending } from './answerKinds.ts';
import type { Session } from './Session.ts';
import { EMPTY_DRAFT, isEmptyDraft, type Draft, type Editing } from './state.ts';
import { waitingFor } from './waitingFor.ts';

/** What goes with a message besides its words. */
type Beside = Pick<MethodInput<'task/send'>, 'images' | 'attachments'>;

/** The person's messages on their way: out of the composer, into a task or as an answer. */
export class Messages {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Sends what is in the composer: an answer when something waits, else a message. */
  send(): void {
    const { store, answers } = this.#session;
    const { taskId, draft, editing, connected } = store.state;
    if (isEmptyDraft(draft) || !connected) return;
    if (editing) {
      this.#session.attempt(() => this.#sendDraft(taskId));
      return;
    }
    const [waiting] = waitingFor(store.state);
    if (waiting) {
      // What just appeared has not been read: the text stays where it is.
      if (answers.isArmed(waiting.id)) answers.respond(waiting, answerBySending(waiting));
    } else this.#session.attempt(() => this.#sendDraft(taskId));
  }

  startTour(): void {
    const session = this.#session;
    session.attempt(async () => {
      const profile = await session.models.tourProfile();
      await this.#create(session.words('webview.tourPrompt'), {}, profile);
    });
  }

  async #sendDraft(taskId: string | undefined): Promise<void> {
    const session = this.#session;
    const { draft, editing } = session.store.state;
    if (isEmptyDraft(draft)) return;
    const text = draft.text.trim();
    const beside = besideOf(draft);
    session.write(EMPTY_DRAFT);
    try {
      if (taskId === undefined) await this.#create(text, beside);
      else if (editing) await this.#branch(taskId, editing, text, beside);
      else await session.transport.call('task/send', { taskId, text, ...beside });
    } catch (error) {
      // Not taken: it goes back to where it was written, unless something new stands there.
      const { state } = session.store;
      if (state.taskId === taskId && isEmptyDraft(state.draft)) session.write(draft);
      throw error;
    }
  }

  async #branch(taskId: string, { seq, before }: Editing, text: string, beside: Beside): Promise<void> {
    const session = this.#session;
    const branch = await session.transport.call('task/branch', { taskId, seq, text, ...beside });
    session.leaveBranched(taskId, before);
    await session.open(branch.taskId);
  }

  async #create(text: string, beside: Beside, profile?: string): Promise<void> {
    const session = this.#session;
    const { mode } = session.store.state;
    const { taskId } = await session.transport.call('task/create', {
      text,
      mode,
      ...beside,
      ...(profile === undefined ? {} : { profile }),
    });
    await session.open(taskId);
  }
}

function besideOf({ images, attachments }: Draft): Beside {
  return {
    ...(images.length > 0 ? { images: [...images] } : {}),
    ...(attachments.length > 0 ? { attachments: [...attachments] } : {}),
  };
}
