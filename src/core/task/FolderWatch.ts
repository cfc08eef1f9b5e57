import { watch, type FSWatcher } from 'node:fs';

/** Milliseconds that changes are gathered: a journal grows in bursts. */
const GATHER = 100;
/** Milliseconds between looks while asked to: a process that was killed changes nothing any more. */
const LOOK_AGAIN = 3000;

/**
 * Looks again whenever something in a folder changed, one look at a time. Where a look says `true`, it looks again after a while
 * also without a change. Keeps no process alive.
 */
export class FolderWatch {
  readonly #look: () => Promise<boolean>;
  readonly #report: (error: unknown) => void;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #changed = false;
  #stopped = false;

  /** `report` hears what went wrong; without a watch nothing is seen until somebody asks. */
  constructor(folder: string, look: () => Promise<boolean>, report: (error: unknown) => void) {
    this.#look = look;
    this.#report = report;
    try {
      this.#watcher = watch(folder, { persistent: false }, () => this.#notice());
      this.#watcher.on('error', (error) => {
        this.#watcher?.close();
        report(error);
      });
    } catch (error) {
      report(error);
    }
  }

  /** Looks again after a while, also without a change. */
  again(): void {
    this.#after(LOOK_AGAIN);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #notice(): void {
    if (this.#looking) this.#changed = true;
    else this.#after(GATHER);
  }

  #after(milliseconds: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#run().catch(this.#report);
    }, milliseconds).unref();
  }

  #hasChanged(): boolean {
    return this.#changed;
  }

  async #run(): Promise<void> {
    this.#looking = true;
    this.#changed = false;
    try {
      const goOn = await this.#look();
      if (goOn) this.again();
    } finally {
      this.#looking = false;
      if (this.#hasChanged()) this.#after(GATHER);
    }
  }
}
