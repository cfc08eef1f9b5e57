/** A text that only grows, whose end can be had at a cost of what is asked for, however long it is. */
export class GrowingText {
  readonly #pieces: string[] = [];
  #length = 0;

  /** Characters (UTF-16). */
  get length(): number {
    return this.#length;
  }

  append(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** What stands behind the first `position` characters. */
  from(position: number): string {
    let start = this.#length;
    let index = this.#pieces.length;
    while (start > position && index > 0) start -= this.#pieces[--index]?.length ?? 0;
    return this.#pieces
      .slice(index)
      .join('')
      .slice(Math.max(0, position - start));
  }
}
