import type { ToolUse } from '../../shared/tools.ts';

/** Longest cycle of different calls that counts as going in circles (A-B-A-B, A-B-C-A-B-C…). */
const LONGEST_CYCLE = 4;
/** How often a call, or a cycle of calls, may come in a row: the next one is stopped. */
const REPEATS = 3;

/** Sees a model going in circles: the same call over and over, or the same few calls in turn. One a turn, no shared state. */
export class ToolRepetitionDetector {
  #recent: string[] = [];

  /** Words for the model when this call would go round once too often, else undefined. */
  check(block: ToolUse): string | undefined {
    const call = JSON.stringify([block.name, sorted(block.nativeArgs ?? block.params)]);
    this.#recent.push(call);
    const length = this.#cycleLength();
    if (length === 0) {
      if (this.#recent.length > LONGEST_CYCLE * (REPEATS + 1)) this.#recent.shift();
      return undefined;
    }
    // A stopped call is not counted: the next one is judged on what has really run.
    this.#recent.pop();
    return length === 1
      ? `Stopped: this is the same call for the ${REPEATS + 1}th time in a row. Its result will not change. Use what you know, try something else, or ask the person.`
      : `Stopped: these ${length} calls repeat each other in a circle. Their results will not change. Use what you know, try something else, or ask the person.`;
  }

  /** After the person said something, doing the same again can make sense. */
  reset(): void {
    this.#recent = [];
  }

  /** The length of the cycle that stands REPEATS + 1 times at the end, 0 when there is none. */
  #cycleLength(): number {
    const calls = this.#recent;
    for (let length = 1; length <= LONGEST_CYCLE; length++) {
      const needed = length * (length === 1 ? REPEATS + 1 : REPEATS);
      if (calls.length < needed) continue;
      const tail = calls.slice(-needed);
      if (tail.every((call, index) => call === tail[index % length])) return length;
    }
    return 0;
  }
}

/** The same parameters in another order are the same call. */
function sorted(params: Record<string, unknown>): [string, unknown][] {
  return Object.entries(params).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
