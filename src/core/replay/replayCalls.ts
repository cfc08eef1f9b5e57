import type { JournalEntry, ToolOutcome } from '../../shared/events.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import {
  isToolName,
  toolGroupNames,
  toolNames,
  type AssistantMessageContent,
  type ToolName,
  type ToolUse,
} from '../../shared/tools.ts';
import { runInOrder, unfitCall, type OrderedCall } from '../assistant-message/runInOrder.ts';
import { isParameterError, type ToolResponse } from '../tools/BaseTool.ts';
import { toolByName } from '../tools/index.ts';
import { ToolError } from '../tools/ToolError.ts';
import { validateToolUse } from '../tools/validateToolUse.ts';
import { stepOf, type ReplayedStep } from './ReplayedStep.ts';

type Finished = Extract<JournalEntry, { type: 'tool_finished' }>;

/** What a journal says of its calls. */
export interface RecordedCalls {
  finished: ReadonlyMap<string, Finished>;
  started: ReadonlySet<string>;
  subtasks: ReadonlySet<string>;
  /** How a person or the policy last answered a call's request. */
  answers: ReadonlyMap<string, 'allow' | 'reject' | 'cancelled'>;
  /** Calls that a branch closed instead of taking them on. */
  closed: ReadonlySet<string>;
  /** Calls whose question ended a turn. */
  questions: ReadonlySet<string>;
}

/** A mode that grants everything: which modes there were is in no journal, what was offered is. */
const EVERY_MODE: ModeConfig = {
  slug: 'replay',
  name: 'Replay',
  roleDefinition: 'Replays.',
  groups: [...toolGroupNames],
};

/**
 * Takes a message's calls in order as the turn did: each is looked at and decoded anew, and what would run is given its recorded
 * result. `offered`: what the model was offered, where that is known.  */
export async function replayCalls(
  content: readonly AssistantMessageContent[],
  offered: readonly ToolName[] | undefined,
  recorded: RecordedCalls,
): Promise<ReplayedStep[]> {
  const calls: RecordedCall[] = [];
  const unknown = Array.from(recorded.finished.values())
    .filter(({ callId, outcome }) => outcome === 'unknown' || recorded.closed.has(callId))
    .map(({ callId, outcome }): [string, ToolOutcome] => [callId, outcome]);
  await runInOrder(content, {
    finished: new Map(unknown),
    isStopped: ({ id }) => recorded.finished.get(id)?.outcome === 'stopped' && !recorded.started.has(id),
    isSubtask: ({ id }) => recorded.subtasks.has(id),
    begin: (block) => {
      const call = new RecordedCall(block, offered, recorded);
      calls.push(call);
      return call;
    },
  });
  return calls.flatMap(({ step }) => step ?? []);
}

/** A call whose result is known beforehand: what comes before it runs is done again, and nothing runs. */
class RecordedCall implements OrderedCall {
  outcome: ToolOutcome | undefined;
  ends: ToolResponse['ends'];
  readonly #block: ToolUse;
  readonly #offered: readonly ToolName[] | undefined;
  readonly #recorded: RecordedCalls;
  readonly #result: Finished | undefined;
  #replayed: string | undefined;

  constructor(block: ToolUse, offered: readonly ToolName[] | undefined, recorded: RecordedCalls) {
    this.#block = block;
    this.#offered = offered;
    this.#recorded = recorded;
    this.#result = recorded.finished.get(block.id);
  }

  /** Undefined where the task was left in the middle of the call. */
  get step(): ReplayedStep | undefined {
    const result = this.#result;
    if (!result || this.#replayed === undefined) return undefined;
    const { seq, tool: of, outcome: recorded } = result;
    const replayed = this.#replayed;
    return stepOf({ seq, part: 'call', of }, replayed === recorded ? undefined : { recorded, replayed });
  }

  run(): Promise<void> {
    const refused = this.#refusal();
    const result = this.#result;
    const cannotBe = result && refused === undefined ? this.#contradiction(result) : undefined;
    this.#replayed = refused ?? cannotBe ?? result?.outcome;
    this.outcome = refused ?? result?.outcome;
    if (refused === undefined && result?.outcome === 'done') {
      if (result.tool === 'attempt_completion') this.ends = { reason: 'completed', result: '' };
      if (this.#recorded.questions.has(result.callId)) this.ends = { reason: 'question', result: '' };
    }
    return Promise.resolve();
  }

  finish(outcome: ToolOutcome): Promise<void> {
    this.outcome = outcome;
    this.#replayed = outcome;
    return Promise.resolve();
  }

  /** What the call is refused with before anything of it happens. */
  #refusal(): ToolOutcome | undefined {
    const block = this.#block;
    const unfit = unfitCall(block);
    if (unfit) return unfit.outcome;
    if (this.#recorded.subtasks.has(block.id)) return undefined;
    try {
      validateToolUse(block.name, { mode: EVERY_MODE, allowed: this.#offered ?? toolNames });
      toolByName(block.name)?.decode(block);
      return undefined;
    } catch (error) {
      if (error instanceof ToolError) return 'failed';
      throw error;
    }
  }

  /** Why a call that goes ahead now cannot have come to its recorded outcome. */
  #contradiction({ callId, outcome, content }: Finished): string | undefined {
    const { started, answers } = this.#recorded;
    const answer = answers.get(callId);
    switch (outcome) {
      case 'cut_off':
      case 'skipped':
        return 'runs';
      case 'failed': {
        const words = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
        return isParameterError(words) ? 'runs' : undefined;
      }
      case 'done':
        if (!started.has(callId)) return 'not started';
        return answer === 'reject' ? 'rejected' : undefined;
      case 'rejected':
        return answer === 'allow' || started.has(callId) ? 'runs' : undefined;
      case 'stopped':
      case 'unknown':
        return undefined;
    }
  }
}

/** What a journal says of its calls, looked up by their ids. */
export function recordedCalls(entries: readonly JournalEntry[]): RecordedCalls {
  const finished = new Map<string, Finished>();
  const started = new Set<string>();
  const subtasks = new Set<string>();
  const questions = new Set<string>();
  const answers = new Map<string, 'allow' | 'reject' | 'cancelled'>();
  const asked = new Map<string, string>();
  let last: string | undefined;
  for (const entry of entries) {
    if (entry.type === 'tool_started') started.add(entry.callId);
    if (entry.type === 'subtask_started') subtasks.add(entry.callId);
    if (entry.type === 'approval_requested' && entry.request.reason === 'tool')
      asked.set(entry.request.id, entry.request.callId);
    if (entry.type === 'approval_resolved') {
      const call = asked.get(entry.approvalId);
      if (call !== undefined) answers.set(call, entry.decision.outcome);
    }
    if (entry.type === 'tool_finished') {
      if (!finished.has(entry.callId)) finished.set(entry.callId, entry);
      if (entry.outcome === 'done') last = entry.callId;
    }
    if (entry.type === 'task_finished' && entry.reason === 'question' && last !== undefined)
      questions.add(last);
  }
  const closed = new Set(
    closingOf(entries).flatMap((entry) => (entry.type === 'tool_finished' ? [entry.callId] : [])),
  );
  return { finished, started, subtasks, answers, closed, questions };
}

/** The entries that a branch at a checkpoint was brought to its end with. */
function closingOf(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const [first] = entries;
  if (first?.type !== 'task_started' || !first.branchOf) return [];
  const { seq } = first.branchOf;
  const since = entries.filter((entry) => entry.seq >= seq);
  const end = since.findIndex(({ type }) => type !== 'approval_resolved' && type !== 'tool_finished');
  return since[end]?.type === 'task_finished' ? since.slice(0, end) : [];
}

/** The tools of a list that there are now. */
export function knownTools(names: readonly string[]): ToolName[] {
  return names.filter((name): name is ToolName => isToolName(name));
}
