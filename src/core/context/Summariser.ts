import { randomUUID } from 'node:crypto';
import type { RequestError, StopReason, Usage } from '../../shared/events.ts';
import type { ProviderRequest } from '../provider/Provider.ts';
import { apiMessages } from '../task/apiMessages.ts';
import { requestHash, startedRequest } from '../task/startedRequest.ts';
import type { Task } from '../task/Task.ts';
import type { Asked } from './ContextRoom.ts';
import { isTooLong } from './isTooLong.ts';
import { summaryMessages, type SummaryWish } from './summaryMessages.ts';

/** What came of it. `failed`: the provider's error is in the journal; `cut` and `empty`: what came is no summary. */
export type Summary =
  { outcome: 'done'; text: string } | { outcome: 'stopped' } | { outcome: 'failed' | 'cut' | 'empty' };

interface SummaryRequest {
  request: ProviderRequest;
  wish: SummaryWish;
}

interface Answer {
  text: string;
  stopReason: StopReason;
  usage: Usage | undefined;
  error: RequestError | undefined;
}

/**
 * Has the task summed up by its own model: the request begins with the bytes of the last one, so that the provider's cache is of use,
 * and ends with the wish. Where that does not fit, old results are trimmed in it, and then the oldest messages are left out.
 */
export class Summariser {
  readonly #task: Task;
  readonly #asked: Asked;
  readonly #tokens: (request: ProviderRequest) => number;

  /** `tokens` counts a request. */
  constructor(task: Task, asked: Asked, tokens: (request: ProviderRequest) => number) {
    this.#task = task;
    this.#asked = asked;
    this.#tokens = tokens;
  }

  /** Asks at most three times, each with less. `room`: tokens that the request may take; `whole`: it may be tried as it is. */
  async summarise(
    wanted: { through: number; guidance: string | undefined; room: number; whole: boolean },
    signal: AbortSignal,
  ): Promise<Summary> {
    for (const request of this.#requests(wanted)) {
      const answer = await this.#ask(request, signal);
      if (signal.aborted || answer.stopReason === 'aborted') return { outcome: 'stopped' };
      if (answer.error && isTooLong(answer.error)) continue;
      if (answer.error && answer.stopReason === 'error') return { outcome: 'failed' };
      const text = plainSummary(answer.text);
      if (answer.stopReason !== 'end' && answer.stopReason !== 'tool_calls') return { outcome: 'cut' };
      return text === '' ? { outcome: 'empty' } : { outcome: 'done', text };
    }
    return { outcome: 'failed' };
  }

  *#requests({
    through,
    guidance,
    room,
    whole,
  }: {
    through: number;
    guidance: string | undefined;
    room: number;
    whole: boolean;
  }): Iterable<SummaryRequest> {
    const { model, head } = this.#asked;
    const asked = (trimmed: boolean, dropped: number): SummaryRequest => {
      const wish = { through, ...(guidance === undefined ? {} : { guidance }), trimmed, dropped };
      const messages = summaryMessages(this.#task.entries, model.reference, wish);
      return { wish, request: { ...head, messages } };
    };
    const asItIs = asked(false, 0);
    if (whole && this.#tokens(asItIs.request) <= room) yield asItIs;
    const short = asked(true, 0);
    if (this.#tokens(short.request) <= room) yield short;
    const { length } = apiMessages(
      this.#task.entries.filter(({ seq }) => seq <= through),
      model.reference,
    );
    for (let dropped = 2; dropped < length; dropped += 2) {
      const shorter = asked(true, dropped);
      if (this.#tokens(shorter.request) > room / 2) continue;
      yield shorter;
      return;
    }
  }

  /** One request with its answer, both in the journal. */
  async #ask({ request, wish }: SummaryRequest, signal: AbortSignal): Promise<Answer> {
    const { model } = this.#asked;
    const requestId = randomUUID();
    await this.#task.record(
      startedRequest(this.#task.entries, request, {
        requestId,
        model: model.reference,
        hash: requestHash(request),
        purpose: 'condense',
        summary: wish,
      }),
    );
    const since = performance.now();
    const answer: Answer = { text: '', stopReason: 'cut', usage: undefined, error: undefined };
    for await (const event of model.provider.stream(request, signal)) {
      if (event.type === 'text') answer.text += event.text;
      if (event.type === 'retry' || event.type === 'retrying')
        this.#task.publish({
          type: 'request_status',
          requestId,
          error: event.type === 'retry' ? event.error : null,
          attempt: event.attempt,
          ...(event.type === 'retry' ? { retryAt: event.retryAt } : {}),
        });
      if (event.type !== 'end') continue;
      answer.stopReason = event.stopReason;
      answer.usage = event.usage;
      answer.error = event.error;
    }
    await this.#task.record({
      type: 'request_finished',
      requestId,
      stopReason: answer.stopReason,
      durationMs: Math.round(performance.now() - since),
      ...(answer.usage ? { usage: answer.usage } : {}),
      ...(answer.error ? { error: answer.error } : {}),
    });
    return answer;
  }
}

/** Without the thoughts and the tag that some models put around it. */
function plainSummary(answer: string): string {
  const text = answer.replace(/^\s*<think>[^]*?<\/think>/, '').trim();
  return (/^<summary>([^]*)<\/summary>$/.exec(text)?.[1] ?? text).trim();
}
