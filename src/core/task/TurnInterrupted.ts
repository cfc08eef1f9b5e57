/** Why a turn is broken off when its process ends in good order: nothing more is written, so that it can be gone on with. */
export class TurnInterrupted extends Error {
  override readonly name = 'TurnInterrupted';
  constructor() {
    super('the process ends');
  }
}
