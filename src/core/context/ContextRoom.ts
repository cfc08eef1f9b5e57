import type { Fact, JournalEntry, RequestError } from '../../shared/events.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import { message, type StringKey } from '../../shared/strings.ts';
import { condensing } from '../prompts/condensing.ts';
import type { ProviderRequest } from '../provider/Provider.ts';
import { apiMessages } from '../task/apiMessages.ts';
import type { Task } from '../task/Task.ts';
import type { TurnModel } from '../task/runTurn.ts';
import { ToolError } from '../tools/ToolError.ts';
import { condensePoint } from './condensePoint.ts';
import { contextLimit } from './contextLimit.ts';
import { estimateEntry, estimateRequest } from './estimateTokens.ts';
import { Summariser, type Summary } from './Summariser.ts';

type Condensed = Extract<Fact, { type: 'context_condensed' }>;
type Trimmed = Extract<Fact, { type: 'results_trimmed' }>;

/** The model of the next request, and everything of that request but its messages. */
export interface Asked {
  model: TurnModel;
  head: Omit<ProviderRequest, 'messages'>;
}

/** Of the limit: what stays as it is behind a summary, or behind trimmed results. */
const TAIL_OF_SUMMARY = 0.2;
const TAIL_OF_TRIMMED = 0.3;
/** Of what there was: what stays when the person asks, or when the provider refused it all. */
const TAIL_AT_ONCE = 0.1;
/** Of the limit: trimmed results make do where they bring a request below this. */
const ENOUGH = 0.75;
/** A change of the prefix must save at least a tenth. */
const SHRUNK = 0.9;
/** Of the limit: what must come on top before a summary that failed is tried again by itself. */
const GROWTH = 0.1;
/** Of the room: the person's own words beside a summary; at most so many characters. */
const PERSON = 0.1;
const PERSON_CHARACTERS = 24_000;
const CHARACTERS_A_TOKEN = 3.5;
/** How far an estimate that no provider has corrected may be off. */
const DOUBT = 1.3;
/** Characters below which the model's summary cannot hold a task. */
const SHORTEST = 200;

/** Keeps a turn's requests within the model's window: before each it is checked, and at most one condensing makes room for it. */
export class ContextRoom {
  readonly #task: Task;
  readonly #settings: Pick<EditorSettings, 'condenseAtPercent'>;
  /** What providers counted over what was estimated, of the last request that was counted. */
  #factor: { requestId: string; value: number } | undefined;
  /** Tokens of the request for which a summary failed. */
  #failedAt: number | undefined;

  constructor(task: Task, settings: Pick<EditorSettings, 'condenseAtPercent'>) {
    this.#task = task;
    this.#settings = settings;
  }

  /** Tokens that tools may still fill; undefined when nobody knows the window. */
  left(window: number | undefined, longestAnswer: number | undefined): number | undefined {
    const limit = contextLimit(window, longestAnswer, this.#settings);
    if (limit === undefined) return undefined;
    const { entries } = this.#task;
    const counted = entries.findLastIndex(({ type }) => type === 'request_finished');
    const since = entries
      .slice(counted + 1)
      .reduce((sum, entry) => sum + (entry.type === 'tool_finished' ? estimateEntry(entry) : 0), 0);
    return Math.max(0, limit - this.#task.state.contextTokens - since);
  }

  /** Makes room where the next request has too little: trims old results, else condenses. Gives why it must not be sent. */
  async make(asked: Asked, signal: AbortSignal): Promise<RequestError | undefined> {
    const { contextWindow: window, model } = asked.model.reference;
    const limit = contextLimit(window, asked.head.maxOutputTokens, this.#settings);
    if (window === undefined || limit === undefined) return undefined;
    const before = this.#tokens(asked);
    if (before <= limit) return undefined;
    const trimmed = this.#trimmed(asked, limit * TAIL_OF_TRIMMED);
    if (trimmed && trimmed.tokensAfter <= limit * ENOUGH) {
      await this.#task.record(trimmed);
      return undefined;
    }
    if (before > (this.#failedAt ?? -Infinity) + limit * GROWTH) {
      const condensed = await this.condense({ by: 'limit' }, asked, signal);
      if (signal.aborted) return undefined;
      this.#failedAt = condensed ? undefined : before;
    }
    if (this.#tokens(asked) > limit) await this.#trimAll(asked);
    const tokens = this.#tokens(asked);
    if (tokens <= window * (this.#factor ? 1 : DOUBT)) return undefined;
    return {
      message: message('context.full', { tokens: Math.round(tokens), model, window }),
      retryable: false,
    };
  }

  /** After a provider said that the request was too long: where there is room now, it can be sent once more. */
  async afterOverflow(asked: Asked, signal: AbortSignal): Promise<'room' | 'none' | 'stopped'> {
    if (await this.condense({ by: 'overflow' }, asked, signal)) return 'room';
    if (signal.aborted) return 'stopped';
    return (await this.#trimAll(asked)) ? 'room' : 'none';
  }

  /** A summary by the model in the place of what came before. Gives whether it is so now; if not, the task is as it was and a notice says why. */
  async condense(
    { by, guidance }: { by: 'person' | 'limit' | 'overflow'; guidance?: string | undefined },
    asked: Asked,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { model, head } = asked;
    const { contextWindow } = model.reference;
    const limit = contextLimit(contextWindow, head.maxOutputTokens, this.#settings);
    const before = this.#tokens(asked);
    const tail = by === 'limit' && limit !== undefined ? limit * TAIL_OF_SUMMARY : before * TAIL_AT_ONCE;
    const through = condensePoint(this.#task.entries, tail);
    if (through === undefined || this.#newTokens(through) < before * (1 - SHRUNK)) {
      if (by === 'person') await this.#notice('info', 'context.nothing');
      return false;
    }
    const whole = contextLimit(contextWindow, head.maxOutputTokens, { condenseAtPercent: 100 });
    const room = by === 'overflow' ? before * ENOUGH : (whole ?? before * 2);
    const summariser = new Summariser(this.#task, asked, (request) => this.#corrected(asked, request));
    const summary = await summariser.summarise({ through, guidance, room, whole: by !== 'overflow' }, signal);
    if (signal.aborted || summary.outcome === 'stopped') return false;
    return await this.#take(summary, { by, through, limit, before }, asked);
  }

  /** The same with a summary that the model wrote itself, in a call that runs now. @throws ToolError when it is no good */
  async condenseTo(summary: string, callId: string, asked: Asked): Promise<string> {
    if (summary.length < SHORTEST) throw new ToolError(condensing.tooShort(summary.length));
    const { entries } = this.#task;
    const through = throughCall(entries, callId) ?? condensePoint(entries, 0);
    if (through === undefined) throw new ToolError(condensing.nothing());
    const { contextWindow } = asked.model.reference;
    const limit = contextLimit(contextWindow, asked.head.maxOutputTokens, this.#settings);
    const before = this.#tokens(asked);
    const fact = this.#condensed(summary, { by: 'model', through, limit, before }, asked);
    if (fact.tokensAfter > before * SHRUNK)
      throw new ToolError(condensing.noShrink(before, fact.tokensAfter));
    await this.#task.record(fact);
    return condensing.condensed(before, fact.tokensAfter);
  }

  /** Journals the summary when it is whole and saves something. */
  async #take(
    summary: Exclude<Summary, { outcome: 'stopped' }>,
    place: {
      by: 'person' | 'limit' | 'overflow';
      through: number;
      limit: number | undefined;
      before: number;
    },
    asked: Asked,
  ): Promise<boolean> {
    if (summary.outcome !== 'done') {
      await this.#notice('warning', `context.${summary.outcome}`);
      return false;
    }
    const fact = this.#condensed(summary.text, place, asked);
    if (fact.tokensAfter > place.before * SHRUNK) {
      await this.#notice(place.by === 'person' ? 'info' : 'warning', 'context.noShrink');
      return false;
    }
    await this.#task.record(fact);
    return true;
  }

  #condensed(
    summary: string,
    {
      by,
      through,
      limit,
      before,
    }: { by: Condensed['by']; through: number; limit: number | undefined; before: number },
    asked: Asked,
  ): Condensed & { tokensAfter: number } {
    const words = Math.min((limit ?? before) * PERSON * CHARACTERS_A_TOKEN, PERSON_CHARACTERS);
    const fact: Condensed = {
      type: 'context_condensed',
      summary,
      through,
      by,
      personCharacters: Math.round(words),
      tokensBefore: before,
    };
    return { ...fact, tokensAfter: this.#tokens(asked, fact) };
  }

  async #trimAll(asked: Asked): Promise<boolean> {
    const trimmed = this.#trimmed(asked, 0);
    if (trimmed) await this.#task.record(trimmed);
    return trimmed !== undefined;
  }

  /** The trimming that leaves about so many tokens at the end as they are; undefined when it would save too little. */
  #trimmed(asked: Asked, tail: number): Trimmed | undefined {
    const through = condensePoint(this.#task.entries, tail);
    if (through === undefined) return undefined;
    const tokensBefore = this.#tokens(asked);
    const fact: Trimmed = { type: 'results_trimmed', through, tokensBefore, tokensAfter: tokensBefore };
    const tokensAfter = this.#tokens(asked, fact);
    return tokensAfter <= tokensBefore * SHRUNK ? { ...fact, tokensAfter } : undefined;
  }

  /** About how much there is up to this entry that was not condensed before: no summary can save more. */
  #newTokens(through: number): number {
    const { entries } = this.#task;
    const done = entries.findLast((entry) => entry.type === 'context_condensed')?.through ?? 0;
    return entries.reduce(
      (sum, entry) => sum + (entry.seq > done && entry.seq <= through ? estimateEntry(entry) : 0),
      0,
    );
  }

  /** Tokens of the next request, as it would be with this fact in the journal. */
  #tokens(asked: Asked, fact?: Condensed | Trimmed): number {
    const { entries } = this.#task;
    const last = entries.at(-1)?.seq ?? 0;
    const all: readonly JournalEntry[] = fact ? [...entries, { seq: last + 1, at: 0, ...fact }] : entries;
    return this.#corrected(asked, { ...asked.head, messages: apiMessages(all, asked.model.reference) });
  }

  #corrected(asked: Asked, request: ProviderRequest): number {
    return Math.round(estimateRequest(request) * this.#factorFor(asked));
  }

  /** Tokenizers differ: what this model's provider counted of the last request says by how much. */
  #factorFor({ model: { reference }, head }: Asked): number {
    const { entries } = this.#task;
    const counted = new Map<string, number>();
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = entries[index];
      if (entry?.type === 'request_finished' && entry.usage)
        counted.set(entry.requestId, entry.usage.inputTokens);
      if (entry?.type !== 'request_started' || entry.purpose !== undefined) continue;
      const tokens = counted.get(entry.requestId);
      if (tokens === undefined) continue;
      if (this.#factor?.requestId === entry.requestId) return this.#factor.value;
      const { model, protocol } = entry.model;
      if (model !== reference.model || protocol !== reference.protocol) return 1;
      const messages = apiMessages(entries.slice(0, index), reference);
      // Services have been seen to count nonsense.
      const value = Math.min(2, Math.max(0.5, tokens / estimateRequest({ ...head, messages })));
      this.#factor = { requestId: entry.requestId, value };
      return value;
    }
    return 1;
  }

  async #notice(level: 'info' | 'warning', key: StringKey): Promise<void> {
    await this.#task.record({ type: 'notice', level, message: message(key) });
  }
}

/** The message with the call, when it is the message's only one: then nothing of it is needed beside the summary. */
function throughCall(entries: readonly JournalEntry[], callId: string): number | undefined {
  const last = entries.findLast((entry) => entry.type === 'assistant_message');
  if (last?.type !== 'assistant_message') return undefined;
  const calls = last.content.filter((block) => block.type === 'tool_use');
  return calls.length === 1 && calls[0]?.id === callId ? last.seq : undefined;
}
