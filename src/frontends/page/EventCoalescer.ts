import type { TaskEvent } from '../../shared/events.ts';

/** Milliseconds of a frame: deltas leave at most this often, so that a fast model does not flood the view. */
const FRAME = 16;

/**
 * Gathers a task's events to one batch a frame. The first delta after a pause does not wait for a frame of its own, and
 * entries go out at once, with what waited before them, in order.
 */
export class EventCoalescer {
  readonly #send: (events: TaskEvent[]) => void;
  #waiting: TaskEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastSent = 0;

  constructor(send: (events: TaskEvent[]) => void) {
    this.#send = send;
  }

  add(event: TaskEvent): void {
    if (!mergedInto(this.#waiting, event)) this.#waiting.push(event);
    if (event.kind === 'entry') this.flush();
    // Never sooner than the next tick: what comes with one chunk from the network leaves together.
    else
      this.#timer ??= setTimeout(
        () => this.flush(),
        Math.max(0, FRAME - (performance.now() - this.#lastSent)),
      );
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#lastSent = performance.now();
    this.#send(events);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }
}

/** Joins a delta to the last one when both add to the same text. The waiting one is replaced, never changed: others hold it too. */
function mergedInto(waiting: TaskEvent[], event: TaskEvent): boolean {
  const last = waiting.at(-1);
  if (event.kind !== 'delta' || last?.kind !== 'delta') return false;
  const a = last.delta;
  const b = event.delta;
  const replace = (delta: typeof a): true => {
    waiting[waiting.length - 1] = { kind: 'delta', delta };
    return true;
  };
  if (a.type === 'reasoning' && b.type === 'reasoning' && a.requestId === b.requestId)
    return replace({ ...a, text: a.text + b.text });
  if (a.type === 'tool_output' && b.type === 'tool_output' && a.callId === b.callId)
    return replace({ ...a, text: a.text + b.text });
  if (
    a.type !== 'block' ||
    b.type !== 'block' ||
    a.requestId !== b.requestId ||
    a.delta.block !== b.delta.block
  )
    return false;
  const before = a.delta;
  const after = b.delta;
  if (before.type === 'text' && after.type === 'text')
    return replace({ ...a, delta: { ...before, text: before.text + after.text } });
  if (before.type === 'param' && after.type === 'param' && before.name === after.name) {
    return replace({ ...a, delta: { ...before, text: before.text + after.text } });
  }
  return false;
}
