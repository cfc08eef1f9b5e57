import { createHash, randomUUID } from 'node:crypto';
import type { JournalEntry, RequestError, StopReason, Usage } from '../../shared/events.ts';
import { condensing } from '../prompts/condensing.ts';
import type { ProviderMessage, ProviderRequest } from '../provider/Provider.ts';
import { apiMessages } from '../task/apiMessages.ts';
import type { Task } from '../task/Task.ts';
import type { Asked } from './ContextRoom.ts';
import { isTooLong } from './isTooLong.ts';

/** What came of it. `failed`: the provider's error is in the journal; `cut` and `empty`: what came is no summary. */
export type Summary =
  { outcome: 'done'; text: string } | { outcome: 'stopped' } | { outcome: 'failed' | 'cut' | 'empty' };

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
  }): Iterable<ProviderRequest> {
    const { model, head } = this.#asked;
    const entries = this.#task.entries.filter(({ seq }) => seq <= through);
    const withWish = (messages: ProviderMessage[]): ProviderRequest => ({
      ...head,
      messages: asking(messages, condensing.request(guidance)),
    });
    const asItIs = withWish(apiMessages(entries, model.reference));
    if (whole && this.#tokens(asItIs) <= room) yield asItIs;
    const trimmed: JournalEntry = {
      seq: through + 1,
      at: 0,
      ...{ type: 'results_trimmed', through, tokensBefore: 0, tokensAfter: 0 },
    };
    const messages = apiMessages([...entries, trimmed], model.reference);
    const short = withWish(messages);
    if (this.#tokens(short) <= room) yield short;
    // The first message says what the task is; of the rest the end counts most.
    for (let dropped = 2; dropped < messages.length; dropped += 2) {
      const shorter = withWish([...messages.slice(0, 1), ...messages.slice(1 + dropped)]);
      if (this.#tokens(shorter) > room / 2) continue;
      yield shorter;
      return;
    }
  }

  /** One request with its answer, both in the journal. */
  async #ask(request: ProviderRequest, signal: AbortSignal): Promise<Answer> {
    const { model } = this.#asked;
    const requestId = randomUUID();
    const hash = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    await this.#task.record({
      type: 'request_started',
      requestId,
      model: model.reference,
      hash,
      purpose: 'condense',
    });
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

/** The messages with one more text of the user's at their end; roles go on alternating. */
function asking(messages: readonly ProviderMessage[], text: string): ProviderMessage[] {
  const last = messages.at(-1);
  return last?.role === 'user'
    ? [...messages.slice(0, -1), { role: 'user', content: [...last.content, { type: 'text', text }] }]
    : [...messages, { role: 'user', content: [{ type: 'text', text }] }];
}

/** Without the thoughts and the tag that some models put around it. */
function plainSummary(answer: string): string {
  const text = answer.replace(/^\s*<think>[^]*?<\/think>/, '').trim();
  return (/^<summary>([^]*)<\/summary>$/.exec(text)?.[1] ?? text).trim();
}
