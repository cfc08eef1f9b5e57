import { isDeepStrictEqual } from 'node:util';
import type { JournalEntry, StopReason, TaskEvent } from '../../shared/events.ts';
import type { ToolName } from '../../shared/tools.ts';
import { emptyView, foldAll } from '../../shared/view.ts';
import { summaryMessages } from '../context/summaryMessages.ts';
import type { ProviderMessage } from '../provider/Provider.ts';
import { apiMessages } from '../task/apiMessages.ts';
import { requestHash } from '../task/startedRequest.ts';
import { stateOf } from '../task/taskState.ts';
import { withoutPictures } from '../task/withoutPictures.ts';
import { stepOf, type Difference, type ReplayedStep } from './ReplayedStep.ts';
import { replayAnswer } from './replayAnswer.ts';
import { knownTools, recordedCalls, replayCalls, type RecordedCalls } from './replayCalls.ts';

type Entry<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

/** What came of replaying a journal. */
export interface Replay {
  taskId: string;
  title: string;
  /** In the order of the journal. */
  steps: ReplayedStep[];
}

/**
 * Goes through a task once more without its machine and its model: each request is rendered again from what came before it and
 * compared by its hash, each answer is read again in chunks of several lengths, each call is looked at and decoded again, and what
 * a person sees is folded again from all of that. What models, tools and people gave is taken from the journal. Nothing runs,
 * nothing is sent, nothing is written.
 */
export async function replayTask(entries: readonly JournalEntry[]): Promise<Replay> {
  return await new ReplayPass(entries).run();
}

class ReplayPass {
  readonly #entries: readonly JournalEntry[];
  readonly #calls: RecordedCalls;
  readonly #steps: ReplayedStep[] = [];
  /** What happens this time: the entries, with their messages as they are read now, and what is shown while those come. */
  readonly #events: TaskEvent[] = [];
  readonly #messages = new Map<number, Entry<'assistant_message'>>();
  #head: Record<string, unknown> | undefined;
  #offered: ToolName[] | undefined;
  /** The last request that was the same. */
  #sameUntil = 0;

  constructor(entries: readonly JournalEntry[]) {
    this.#entries = entries;
    this.#calls = recordedCalls(entries);
  }

  async run(): Promise<Replay> {
    this.#journal();
    for (const [index, entry] of this.#entries.entries()) {
      this.#events.push({ kind: 'entry', entry: this.#messages.get(entry.seq) ?? entry });
      if (entry.type === 'request_started') await this.#request(entry, this.#entries.slice(0, index));
      if (entry.type === 'task_finished') this.#end(entry, this.#entries.slice(0, index));
    }
    this.#view();
    const { taskId, title } = stateOf(this.#entries);
    return { taskId, title, steps: this.#steps.sort((one, other) => one.seq - other.seq) };
  }

  /** Whether the entries are a task's, each where it belongs. */
  #journal(): void {
    const asked = new Set<string>();
    const called = new Set<string>();
    const finished = new Set<string>();
    for (const [index, entry] of this.#entries.entries()) {
      const wrong = (recorded: string, replayed: string): void =>
        void this.#steps.push(
          stepOf({ seq: entry.seq, part: 'journal', of: entry.type }, { recorded, replayed }),
        );
      const expected = (this.#entries[index - 1]?.seq ?? 0) + 1;
      if ((entry.type === 'task_started') !== (index === 0)) wrong(entry.type, 'task_started');
      if (entry.seq !== expected) wrong(`#${entry.seq}`, `#${expected}`);
      switch (entry.type) {
        case 'request_started':
          asked.add(entry.requestId);
          break;
        case 'request_finished':
          if (!asked.has(entry.requestId)) wrong(entry.requestId, '');
          break;
        case 'assistant_message':
          if (!asked.has(entry.requestId)) wrong(entry.requestId, '');
          for (const block of entry.content) if (block.type === 'tool_use') called.add(block.id);
          break;
        case 'tool_started':
          if (!called.has(entry.callId)) wrong(entry.callId, '');
          break;
        case 'tool_finished':
          // One result a call, and none without one.
          if (!called.has(entry.callId) || finished.has(entry.callId)) wrong(entry.callId, '');
          finished.add(entry.callId);
          break;
        default:
          break;
      }
    }
  }

  async #request(entry: Entry<'request_started'>, before: readonly JournalEntry[]): Promise<void> {
    this.#head = entry.head ?? this.#head;
    if (entry.offered) this.#offered = knownTools(entry.offered);
    this.#steps.push(this.#rendered(entry, before));
    if (entry.purpose !== 'condense') await this.#answer(entry);
  }

  #rendered(entry: Entry<'request_started'>, before: readonly JournalEntry[]): ReplayedStep {
    const { seq, hash: recorded } = entry;
    const messages = messagesOf(entry, before);
    const step = { seq, part: 'request' as const, of: `#${this.#sameUntil + 1}–#${seq - 1}` };
    if (this.#head === undefined || messages === undefined) return { ...step, verdict: 'unknown' };
    const head = this.#head;
    const replayed = requestHash({ ...head, messages });
    // A model that sees no pictures was sent words in their place.
    const isSame =
      replayed === recorded || requestHash({ ...head, messages: withoutPictures(messages) }) === recorded;
    if (!isSame) return stepOf(step, { recorded, replayed });
    this.#sameUntil = seq;
    return stepOf(step, undefined);
  }

  /** The answer to a request, where one is in the journal, and the calls in it. */
  async #answer({ requestId, model, seq }: Entry<'request_started'>): Promise<void> {
    const entry = this.#entries.find(
      (one): one is Entry<'assistant_message'> =>
        one.type === 'assistant_message' && one.requestId === requestId,
    );
    if (!entry) return;
    const answer = await replayAnswer(entry, model, this.#stopReason(requestId));
    const step = { seq: entry.seq, part: 'answer' as const };
    this.#steps.push(answer ? stepOf(step, answer.difference) : { ...step, verdict: 'unknown' });
    for (const delta of answer?.deltas ?? []) this.#events.push({ kind: 'delta', delta });
    const content = answer?.content ?? entry.content;
    this.#messages.set(entry.seq, { ...entry, content });
    const offered = this.#changesMode(content, seq) ? undefined : this.#offered;
    this.#steps.push(...(await replayCalls(content, offered, this.#calls)));
  }

  #stopReason(requestId: string): StopReason {
    const finished = this.#entries.find(
      (one): one is Entry<'request_finished'> =>
        one.type === 'request_finished' && one.requestId === requestId,
    );
    return finished?.stopReason ?? 'cut';
  }

  /** Whether the mode changed between a request and the last result of its calls: what was offered counts no more then. */
  #changesMode(content: Entry<'assistant_message'>['content'], since: number): boolean {
    const results = content.flatMap((block) =>
      block.type === 'tool_use' ? (this.#calls.finished.get(block.id)?.seq ?? []) : [],
    );
    const until = Math.max(0, ...results);
    return this.#entries.some(({ type, seq }) => type === 'mode_changed' && seq > since && seq < until);
  }

  /** A task that was completed is so by a call of its last message, with that call's words. */
  #end({ seq, reason, result }: Entry<'task_finished'>, before: readonly JournalEntry[]): void {
    if (reason !== 'completed') return;
    const last = before.findLast((entry) => entry.type === 'assistant_message');
    const call = last?.content.find(
      (block) =>
        block.type === 'tool_use' &&
        block.name === 'attempt_completion' &&
        this.#calls.finished.get(block.id)?.outcome === 'done',
    );
    const said = call?.type === 'tool_use' ? (call.nativeArgs?.result ?? call.params.result) : undefined;
    const replayed = typeof said === 'string' ? said.trim() : '';
    const difference = replayed === result ? undefined : { recorded: result ?? '', replayed };
    this.#steps.push(stepOf({ seq, part: 'end', of: 'completed' }, difference));
  }

  /** What a person sees, folded from what happened this time, beside what the journal alone gives. */
  #view(): void {
    const entries = this.#entries.map((entry): TaskEvent => ({ kind: 'entry', entry }));
    const recorded = shownOf(foldAll(emptyView(), entries));
    const replayed = shownOf(foldAll(emptyView(), this.#events));
    const difference = isDeepStrictEqual(recorded, replayed) ? undefined : firstOther(recorded, replayed, '');
    this.#steps.push(stepOf({ seq: this.#entries.at(-1)?.seq ?? 0, part: 'view' }, difference));
  }
}

/** The messages of a request; undefined where the journal does not say what a summary was asked of. */
function messagesOf(
  { purpose, summary, model }: Entry<'request_started'>,
  before: readonly JournalEntry[],
): ProviderMessage[] | undefined {
  if (purpose !== 'condense') return apiMessages(before, model);
  return summary && summaryMessages(before, model, summary);
}

/** A view as plain data: what is absent and what is undefined look the same to a person. */
function shownOf(view: object): unknown {
  return JSON.parse(JSON.stringify(view));
}

/** The first place where two values are not the same, as a path. */
function firstOther(recorded: unknown, replayed: unknown, path: string): Difference {
  if (isObject(recorded) && isObject(replayed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(replayed)]);
    for (const key of keys)
      if (!isDeepStrictEqual(recorded[key], replayed[key]))
        return firstOther(recorded[key], replayed[key], path === '' ? key : `${path}.${key}`);
  }
  return {
    ...(path === '' ? {} : { of: path }),
    recorded: JSON.stringify(recorded ?? null),
    replayed: JSON.stringify(replayed ?? null),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
