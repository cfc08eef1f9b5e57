import type { Session } from './Session.ts';

/** What waits for the running turn's next request. */
export class QueuedMessages {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Takes a message out of the queue, into the composer or away. */
  take(index: number, text: string, { edit }: { edit: boolean }): void {
    const { store, transport } = this.#session;
    const { taskId } = store.state;
    if (taskId === undefined) return;
    this.#session.attempt(async () => {
      const taken = await transport.call('task/unqueue', { taskId, index, text });
      if (!edit || store.state.taskId !== taskId) return;
      const { draft } = store.state;
      const images = [...draft.images, ...(taken.images ?? [])];
      const attachments = [...draft.attachments, ...(taken.attachments ?? [])];
      this.#session.write({
        text: [taken.text, draft.text].filter((part) => part !== '').join('\n'),
        images,
        attachments,
      });
      this.#session.focusComposer();
    });
  }
}
