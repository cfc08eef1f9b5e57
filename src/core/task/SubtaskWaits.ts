/** A subtask put a question that nobody here can answer at once: its call stays open, and the turn ends with the question. */
export class SubtaskWaits extends Error {
  override readonly name = 'SubtaskWaits';
  constructor(readonly question: string) {
    super('the subtask waits for an answer');
  }
}
