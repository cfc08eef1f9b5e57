import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type {
  JournalEntry,
  RequestError as ModelError,
  StopReason as ModelStop,
} from '../../shared/events.ts';
import { message, translate, type Locale, type Message } from '../../shared/strings.ts';
import { SIGN_IN } from './requestErrors.ts';

interface Prompt {
  /** Not yet delivered; in the task's inbox; taken by a turn. */
  state: 'new' | 'sent' | 'taken';
  resolve: (reason: StopReason) => void;
  reject: (error: Error) => void;
}

/**
 * The prompts of a session that are not answered yet. One that comes while a turn runs joins it at its next request, and is answered
 * with it; one that comes too late for that starts the next turn.
 */
export class Prompts {
  readonly #locale: Locale;
  readonly #open: Prompt[] = [];
  #delivering: Promise<void> = Promise.resolve();
  #lastStop: ModelStop | undefined;
  #lastError: ModelError | undefined;

  constructor(locale: Locale) {
    this.#locale = locale;
  }

  /** Delivers a prompt behind those before it. Resolves when the turn that took it has ended. @throws what delivering throws, or RequestError */
  async add(deliver: () => Promise<void>): Promise<StopReason> {
    return await new Promise<StopReason>((resolve, reject) => {
      const prompt: Prompt = { state: 'new', resolve, reject };
      this.#open.push(prompt);
      const delivered = this.then(async () => {
        prompt.state = 'sent';
        await deliver();
      });
      delivered.catch((error: unknown) =>
        this.#settle(prompt, () => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  }

  /** Does something once what came before is delivered. */
  async then(action: () => Promise<void>): Promise<void> {
    const done = this.#delivering.then(action);
    // Whoever delivers hears why it failed; what comes behind goes on.
    this.#delivering = done.catch(() => undefined);
    await done;
  }

  /** What a turn writes down decides which prompts are answered, and how. */
  entry(entry: JournalEntry): void {
    switch (entry.type) {
      case 'user_message': {
        const next = this.#open.find(({ state }) => state === 'sent');
        if (entry.automatic !== true && next) next.state = 'taken';
        break;
      }
      case 'request_finished':
        this.#lastStop = entry.stopReason;
        this.#lastError = entry.error;
        break;
      case 'task_finished':
        this.#finished(entry);
        break;
      default:
        break;
    }
  }

  /** The turn ended and could not even be written down. */
  failed(error: Message): void {
    for (const prompt of this.#of('sent', 'taken'))
      this.#settle(prompt, () => prompt.reject(new RequestError(-32603, translate(this.#locale, error))));
  }

  #finished({ reason, error }: Extract<JournalEntry, { type: 'task_finished' }>): void {
    switch (reason) {
      case 'completed':
      case 'answered':
      case 'question':
        this.#end('end_turn', 'taken');
        break;
      case 'cancelled':
        // What waited in the inbox was dropped with the turn.
        this.#end('cancelled', 'sent', 'taken');
        break;
      case 'refusal':
      case 'max_turn_requests':
        this.#end(reason, 'taken');
        break;
      case 'failed':
        if (this.#lastStop === 'max_tokens') this.#end('max_tokens', 'taken');
        else
          for (const prompt of this.#of('taken'))
            this.#settle(prompt, () => prompt.reject(this.#failure(error)));
        break;
    }
  }

  #failure(error: Message | undefined): RequestError {
    const words = translate(this.#locale, error ?? message('error.internal', { reason: 'failed' }));
    const status = this.#lastError?.status;
    const code = status === 401 || status === 403 ? SIGN_IN : -32603;
    return new RequestError(code, words, status === undefined ? undefined : { status });
  }

  #end(reason: StopReason, ...states: Prompt['state'][]): void {
    for (const prompt of this.#of(...states)) this.#settle(prompt, () => prompt.resolve(reason));
  }

  #of(...states: Prompt['state'][]): Prompt[] {
    return this.#open.filter(({ state }) => states.includes(state));
  }

  #settle(prompt: Prompt, how: () => void): void {
    const at = this.#open.indexOf(prompt);
    if (at === -1) return;
    this.#open.splice(at, 1);
    how();
  }
}
