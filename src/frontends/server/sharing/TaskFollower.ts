import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../../../core/Agent.ts';
import type { JournalEntry, TaskEvent } from '../../../shared/events.ts';
import type { Bulletin, TextPiece } from '../../../shared/sharing.ts';

/** Milliseconds in which entries that another server wrote are to be seen on the shared volume, and between two looks. */
const SEEN_WITHIN = 5000;
const LOOK = 50;

interface Followed {
  /** The request whose text came last, and how many characters of it. */
  request: { id: string; length: number } | undefined;
  /** The request whose whole message is in the journal. */
  whole: string | undefined;
  /** The request whose beginning was asked for. */
  asked: string | undefined;
}

export interface TaskFollowerOptions {
  agent: Pick<Agent, 'catchUp'>;
  /** Whether clients here wait for events of a task that nobody has opened. */
  isWanted: (taskId: string) => boolean;
  /** For clients here. */
  tell: (taskId: string, parent: string | undefined, events: TaskEvent[]) => void;
  publish: (bulletin: Bulletin) => void;
}

/** Follows tasks that run at other servers: reads their journals as they grow, and passes on the text that is in none yet. */
export class TaskFollower {
  readonly #options: TaskFollowerOptions;
  readonly #tasks = new Map<string, Followed>();

  constructor(options: TaskFollowerOptions) {
    this.#options = options;
  }

  /** An entry that was read here. */
  take(taskId: string, entry: JournalEntry): void {
    if (entry.type === 'task_finished') this.#tasks.delete(taskId);
    else if (entry.type === 'assistant_message') this.#followed(taskId).whole = entry.requestId;
  }

  async hear({ taskId, parent, seq, pieces, failed }: Extract<Bulletin, { type: 'events' }>): Promise<void> {
    const { agent, isWanted, tell } = this.#options;
    let last = await agent.catchUp(taskId);
    if (last === undefined) {
      if (!isWanted(taskId) && (parent === undefined || !isWanted(parent))) return;
      // Whoever hears it opens the task, and reads all of it.
      tell(taskId, parent, []);
    }
    // A volume over a network may show a write a little later.
    for (const end = Date.now() + SEEN_WITHIN; last !== undefined && last < seq && Date.now() < end;) {
      await delay(LOOK);
      last = await agent.catchUp(taskId);
    }
    for (const piece of pieces) this.#pass(taskId, parent, piece);
    if (failed) tell(taskId, parent, [{ kind: 'delta', delta: { type: 'turn_failed', ...failed } }]);
  }

  /** What of the text is new, where nothing before it is missing. */
  #pass(taskId: string, parent: string | undefined, { requestId, block, at, text }: TextPiece): void {
    const followed = this.#followed(taskId);
    // The journal was ahead: all of it was shown.
    if (followed.whole === requestId) return;
    if (followed.request?.id !== requestId) followed.request = { id: requestId, length: 0 };
    const { request } = followed;
    if (at > request.length) {
      if (followed.asked !== requestId) this.#options.publish({ type: 'again', taskId });
      followed.asked = requestId;
      return;
    }
    const rest = text.slice(request.length - at);
    if (rest === '') return;
    request.length += rest.length;
    this.#options.tell(taskId, parent, [
      { kind: 'delta', delta: { type: 'block', requestId, delta: { type: 'text', block, text: rest } } },
    ]);
  }

  #followed(taskId: string): Followed {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    const followed = { request: undefined, whole: undefined, asked: undefined };
    this.#tasks.set(taskId, followed);
    return followed;
  }
}
