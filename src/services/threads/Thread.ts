import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Answer, Call } from './answerCalls.ts';

/** The thread ended before it answered: it ran out of memory, or failed outside of a call. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

export interface ThreadOptions {
  /** Milliseconds without a call after which the thread ends and gives its memory back. */
  idle: number;
  /** Megabytes of its heap. */
  heap: number;
}

interface Pending<TResult, TProgress> {
  resolve: (result: TResult) => void;
  reject: (error: Error) => void;
  onProgress: ((progress: TProgress) => void) | undefined;
}

/**
 * A worker thread that answers calls, started at the first one and again after it has ended. A thread without calls does not keep
 * the process alive.
 */
export class Thread<TRequest, TResult, TProgress = never> {
  readonly #file: string;
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending<TResult, TProgress>>();
  #worker: Worker | undefined;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `file`: of `threadFile`. */
  constructor(file: string, options: ThreadOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Rejects with the signal's reason as soon as it fires, with ThreadEnded, or with what the thread threw: its name and message. */
  call(
    request: TRequest,
    { signal, onProgress }: { signal: AbortSignal; onProgress?: (progress: TProgress) => void },
  ): Promise<TResult> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = (this.#worker ??= this.#start());
      const id = ++this.#last;
      const aborted = (): void => {
        worker.postMessage({ id, cancelled: true } satisfies Call<TRequest>);
        const reason: unknown = signal.reason;
        this.#settle(id)?.reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
      signal.addEventListener('abort', aborted, { once: true });
      const done = (): void => signal.removeEventListener('abort', aborted);
      this.#pending.set(id, {
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
        onProgress,
      });
      clearTimeout(this.#timer);
      worker.ref();
      worker.postMessage({ id, request } satisfies Call<TRequest>);
    });
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const source = this.#file.endsWith('.ts');
    const worker = new Worker(source ? fromSource(this.#file) : this.#file, {
      eval: source,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heap },
      // Warnings of Node's own are for its developers, not for who runs us.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    let failure: unknown;
    worker.on('message', (answer: Answer<TResult, TProgress>) => this.#hear(answer));
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      // One that was sent to rest is not waited for by anybody, and another may have been started since.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const ended = new ThreadEnded('the thread ended before it answered', { cause: failure });
      for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(ended);
    });
    return worker;
  }

  #hear(answer: Answer<TResult, TProgress>): void {
    switch (answer.type) {
      case 'progress':
        this.#pending.get(answer.id)?.onProgress?.(answer.progress);
        return;
      case 'result':
        this.#settle(answer.id)?.resolve(answer.result);
        return;
      case 'error':
        this.#settle(answer.id)?.reject(
          Object.assign(new Error(answer.message), { name: answer.name, stack: answer.stack }),
        );
        return;
    }
  }

  async #rest(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Takes a call off the list; after the last one the thread may rest. */
  #settle(id: number): Pending<TResult, TProgress> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) {
      this.#worker?.unref();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#rest(), this.#options.idle).unref();
    }
    return pending;
  }
}

/** What starts a thread from its TypeScript, as in tests: tsx does not reach into threads by itself on every Node. */
function fromSource(file: string): string {
  const url = JSON.stringify(pathToFileURL(file).href);
  return `import('tsx/esm/api').then(({ register }) => (register(), import(${url})));`;
}

/** The thread's own file: its bundle in dist/threads, or its source beside the module that starts it. `url`: that module's. */
export function threadFile(url: string, name: string): string {
  const here = dirname(fileURLToPath(url));
  const bundled = [join(here, 'threads', `${name}.js`), join(here, '..', 'threads', `${name}.js`)];
  return bundled.find((path) => existsSync(path)) ?? join(here, `${name}.ts`);
}
