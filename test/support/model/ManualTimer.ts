import type { Timer } from '../../../src/providers/Watch.ts';

interface Running {
  milliseconds: number;
  fire: () => void;
}

/** A timer on which no time passes: what was started runs out when the test says so. */
export class ManualTimer {
  /** Milliseconds of every timer that was started, in order. */
  readonly started: number[] = [];
  readonly #running = new Set<Running>();
  readonly #waiting: { milliseconds: number; resolve: (running: Running) => void }[] = [];

  readonly timer: Timer = (milliseconds, fire) => {
    const running = { milliseconds, fire };
    this.started.push(milliseconds);
    this.#running.add(running);
    for (const waiting of this.#waiting.splice(0)) this.#offer(waiting);
    return () => void this.#running.delete(running);
  };

  get running(): number[] {
    return [...this.#running].map(({ milliseconds }) => milliseconds);
  }

  /** The timer of that many milliseconds runs out: the one that is running, else the next that is started. */
  async fire(milliseconds: number): Promise<void> {
    const running = await new Promise<Running>((resolve) => this.#offer({ milliseconds, resolve }));
    this.#running.delete(running);
    running.fire();
  }

  #offer(waiting: { milliseconds: number; resolve: (running: Running) => void }): void {
    const running = [...this.#running].find(({ milliseconds }) => milliseconds === waiting.milliseconds);
    if (running) waiting.resolve(running);
    else this.#waiting.push(waiting);
  }
}
