interface RunningCall {
  stop: AbortController;
  toBackground: () => void;
}

/** The calls that run now, so that a person can stop one or send its command to the background. */
export class RunningCalls {
  readonly #calls = new Map<string, RunningCall>();

  /** Until `end` is called with its id. `signal` fires when the turn or this call alone is stopped. */
  begin(callId: string, turn: AbortSignal): { signal: AbortSignal; background: Promise<void> } {
    const stop = new AbortController();
    let toBackground = (): void => undefined;
    const background = new Promise<void>((resolve) => {
      toBackground = resolve;
    });
    this.#calls.set(callId, { stop, toBackground });
    return { signal: AbortSignal.any([turn, stop.signal]), background };
  }

  end(callId: string): void {
    this.#calls.delete(callId);
  }

  /** False when no such call runs. */
  stop(callId: string): boolean {
    const call = this.#calls.get(callId);
    call?.stop.abort();
    return call !== undefined;
  }

  toBackground(callId: string): boolean {
    const call = this.#calls.get(callId);
    call?.toBackground();
    return call !== undefined;
  }
}
