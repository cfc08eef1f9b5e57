import type { Agent } from '../../../core/Agent.ts';
import { ProtocolError } from '../../../core/Dispatcher.ts';
import type { JournalEntry } from '../../../shared/events.ts';
import type { SharedAnswer, WaitingCall } from '../../../shared/sharing.ts';
import type { TurnQueue } from './Sharing.ts';

/** How often a turn is begun again that ended without being able to write down so. */
const TRIES = 5;
/** Every entry of a journal, however long. */
const WHOLE = { before: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };

export interface TurnRunnerOptions {
  agent: Agent;
  turns: TurnQueue;
  /** What must be known before a turn begins. */
  before: () => Promise<void>;
  answer: (caller: string, callId: string, answer: SharedAnswer) => void;
}

/** The turns that this server has taken: gives the waiting calls of each task to the agent, until it is idle and none waits. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  /** Looks for calls again. */
  readonly #wakers = new Map<string, () => void>();
  #stopped = false;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  /** There may be calls for the task. */
  wake(taskId: string): void {
    this.#wakers.get(taskId)?.();
  }

  wakeAll(): void {
    for (const wake of this.#wakers.values()) wake();
  }

  /** What is broken off from now on is gone on with elsewhere. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * Runs what the task is to have, and goes on with what was broken off. `tries`: how often that was begun already.
   * Rejects when the turn was broken off, so that it is begun again.
   */
  async run(taskId: string, tries: number): Promise<void> {
    const { agent, turns, before } = this.#options;
    await before();
    await agent.catchUp(taskId);
    const given = new Set<string>();
    let woken = new Wake();
    this.#wakers.set(taskId, () => woken.wake());
    try {
      for (let first = true; !this.#stopped; first = false) {
        woken = new Wake();
        const calls = (await turns.calls(taskId)).filter(({ id }) => !given.has(id));
        for (const call of calls) {
          given.add(call.id);
          await this.#give(taskId, call, tries > 0);
        }
        if (first && calls.length === 0) await this.#goOn(taskId);
        if ((await Promise.race([agent.idle(taskId), woken.woken])) !== 'woken') break;
      }
    } finally {
      this.#wakers.delete(taskId);
    }
    // They are kept until what they began has ended: whoever takes over sees in the journal which of them were heard.
    if (this.#stopped) throw new Error('the server stops');
    await turns.forget(taskId, [...given]);
    if (tries < TRIES && (await this.#isBrokenOff(taskId))) throw new Error('the turn was broken off');
  }

  async #give(taskId: string, { id, caller, method, params }: WaitingCall, again: boolean): Promise<void> {
    const { agent, answer } = this.#options;
    const entries = again ? await this.#entries(taskId) : undefined;
    if (entries?.some((entry) => entry.type === 'user_message' && entry.messageId === id)) {
      // Its server ended behind it.
      answer(caller, id, { ok: true, result: method === 'task/create' ? { taskId } : {} });
      await this.#goOn(taskId);
      return;
    }
    // Its server ended when there was a task, and no message in it.
    const begun =
      method === 'task/create' &&
      entries !== undefined &&
      !entries.some(({ type }) => type === 'user_message');
    const given = await agent.dispatcher.dispatch(begun ? 'task/send' : method, params);
    answer(caller, id, begun && given.ok ? { ok: true, result: { taskId } } : given);
  }

  async #goOn(taskId: string): Promise<void> {
    if (await this.#isBrokenOff(taskId)) await this.#options.agent.dispatcher.call('task/resume', { taskId });
  }

  async #isBrokenOff(taskId: string): Promise<boolean> {
    try {
      return (await this.#options.agent.dispatcher.call('task/get', { taskId })).state === 'interrupted';
    } catch (error) {
      if (error instanceof ProtocolError && error.code === 'not_found') return false;
      throw error;
    }
  }

  /** Undefined for a task that is not there. */
  async #entries(taskId: string): Promise<readonly JournalEntry[] | undefined> {
    try {
      return (await this.#options.agent.dispatcher.call('task/page', { taskId, ...WHOLE })).entries;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

/** Can be waited for once. */
class Wake {
  wake: () => void = () => undefined;
  readonly woken = new Promise<'woken'>((resolve) => {
    this.wake = () => resolve('woken');
  });
}
