import type { Note } from '../../src/shared/notes.ts';
import type { MethodResult } from '../../src/shared/protocol.ts';
import type { Session } from './Session.ts';

export type NoteList = MethodResult<'memory/list'>;

/** The notes that later tasks in the open workspace are given. */
export class Notes {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @throws CallError */
  async refresh(): Promise<void> {
    const notes = await this.#session.transport.call('memory/list', {});
    this.#session.store.set({ notes });
  }

  /** Another window, or a task, has changed them: of interest while they are shown. */
  changed(): void {
    if (this.#session.store.state.notes) this.#session.attempt(() => this.refresh());
  }

  /** A new note, or these words in the place of another. @throws CallError: what was written stays in the form */
  async save(text: string, replaced: Note | undefined): Promise<void> {
    await this.#session.transport.call('memory/save', {
      text,
      ...(replaced ? { id: replaced.id } : {}),
    });
    this.#session.store.set({ deletedNote: undefined });
    await this.refresh();
  }

  delete(note: Note): void {
    const { store, transport } = this.#session;
    this.#session.attempt(async () => {
      await transport.call('memory/delete', { id: note.id });
      store.set({ deletedNote: note });
      await this.refresh();
    });
  }

  /** Puts the note back that was deleted last; one from outside is from outside still. */
  undo({ text, outside }: Note): void {
    this.#session.attempt(async () => await this.save(outside ? `[outside] ${text}` : text, undefined));
  }
}
