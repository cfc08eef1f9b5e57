import type { JournalEntry } from '../../shared/events.ts';
import { message, type Message } from '../../shared/strings.ts';

/** What a run may cost, in US dollars; requests of subtasks count. */
export class CostLimit {
  readonly #limit: number | undefined;
  #spent = 0;

  constructor(limit: number | undefined) {
    this.#limit = limit;
  }

  /** Why the run may not go on after an entry, if so. A price that nobody knows keeps no limit. */
  over(entry: JournalEntry): Message | undefined {
    if (this.#limit === undefined || entry.type !== 'request_finished' || !entry.usage) return undefined;
    const { cost } = entry.usage;
    if (cost === undefined) return message('cli.costUnknown');
    this.#spent += cost;
    if (this.#spent < this.#limit) return undefined;
    return message('cli.costReached', { spent: this.#spent.toFixed(4), limit: String(this.#limit) });
  }
}
