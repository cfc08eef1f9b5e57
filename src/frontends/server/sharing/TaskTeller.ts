import type { TaskDelta, TaskEvent } from '../../../shared/events.ts';
import type { Bulletin, TextPiece } from '../../../shared/sharing.ts';

/** Milliseconds that events are gathered for other servers: text reaches their clients a few times a second. */
const GATHER = 120;

interface Telling {
  parent: string | undefined;
  seq: number;
  pieces: TextPiece[];
  failed: Extract<Bulletin, { type: 'events' }>['failed'];
  /** What the model has said since the request began, while it is in no entry. */
  request: { id: string; length: number; pieces: TextPiece[] } | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Tells other servers what happens in the tasks that run here: that the journal has grown, which they read themselves, and the text
 * that is in no journal yet.
 */
export class TaskTeller {
  readonly #publish: (bulletin: Bulletin) => void;
  readonly #tasks = new Map<string, Telling>();

  constructor(publish: (bulletin: Bulletin) => void) {
    this.#publish = publish;
  }

  hear(taskId: string, parent: string | undefined, event: TaskEvent): void {
    const telling = this.#telling(taskId, parent);
    if (event.kind === 'entry') {
      telling.seq = Math.max(telling.seq, event.entry.seq);
      if (event.entry.type === 'assistant_message' && telling.request?.id === event.entry.requestId)
        telling.request = undefined;
    } else if (!hearDelta(telling, event.delta)) return;
    telling.timer ??= setTimeout(() => this.#tell(taskId, telling), GATHER).unref();
    if (event.kind === 'entry' && event.entry.type === 'task_finished') this.#tell(taskId, telling);
  }

  /** All of a request's text once more, for a server that has not heard its beginning. */
  again(taskId: string): void {
    const telling = this.#tasks.get(taskId);
    if (!telling?.request) return;
    telling.pieces = telling.request.pieces.map((piece) => ({ ...piece }));
    this.#tell(taskId, telling);
  }

  /** Tells what was gathered. */
  flush(): void {
    for (const [taskId, telling] of this.#tasks) if (telling.timer) this.#tell(taskId, telling);
  }

  #telling(taskId: string, parent: string | undefined): Telling {
    const known = this.#tasks.get(taskId);
    if (known) return known;
    const telling = { parent, seq: 0, pieces: [], failed: undefined, request: undefined, timer: undefined };
    this.#tasks.set(taskId, telling);
    return telling;
  }

  #tell(taskId: string, telling: Telling): void {
    clearTimeout(telling.timer);
    telling.timer = undefined;
    const { parent, seq, pieces, failed } = telling;
    telling.pieces = [];
    telling.failed = undefined;
    // Nothing of it is needed before it says something again.
    if (!telling.request) this.#tasks.delete(taskId);
    this.#publish({
      ...{ type: 'events', taskId, seq, pieces },
      ...(parent === undefined ? {} : { parent }),
      ...(failed ? { failed } : {}),
    });
  }
}

/** Whether it is for others. */
function hearDelta(telling: Telling, delta: TaskDelta): boolean {
  if (delta.type === 'turn_failed') {
    telling.failed = { error: delta.error, unsent: delta.unsent };
    return true;
  }
  if (delta.type !== 'block' || delta.delta.type !== 'text') return false;
  const { requestId } = delta;
  const { block, text } = delta.delta;
  if (telling.request?.id !== requestId) telling.request = { id: requestId, length: 0, pieces: [] };
  const { request } = telling;
  const piece = { requestId, block, at: request.length, text };
  request.length += text.length;
  append(request.pieces, piece);
  append(telling.pieces, piece);
  return true;
}

/** What goes on where the last one ends becomes one with it. */
function append(pieces: TextPiece[], piece: TextPiece): void {
  const last = pieces.at(-1);
  if (
    last?.requestId === piece.requestId &&
    last.block === piece.block &&
    last.at + last.text.length === piece.at
  )
    last.text += piece.text;
  else pieces.push({ ...piece });
}
