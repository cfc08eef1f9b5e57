import type { JournalEntry, ToolOutcome } from '../../shared/events.ts';
import type { AssistantMessageContent, ToolUse } from '../../shared/tools.ts';
import { formatResponse } from '../prompts/responses.ts';
import type { ToolResponse } from '../tools/BaseTool.ts';

/** A call whose turn may come. */
export interface OrderedCall {
  /** Once it has its result. */
  readonly outcome: ToolOutcome | undefined;
  readonly ends: ToolResponse['ends'];
  /** Takes it to its result; without one the turn is left in the middle. */
  run(): Promise<void>;
  /** Gives it this result instead. */
  finish(outcome: ToolOutcome, words: string): Promise<void>;
}

export interface OrderOptions {
  /** Calls that have a result already: a turn that goes on after an interruption. */
  finished: ReadonlyMap<string, ToolOutcome>;
  /** Whether the turn was stopped before this call. */
  isStopped: (block: ToolUse) => boolean;
  /** Whether the call has begun a subtask. */
  isSubtask: (block: ToolUse) => boolean;
  /** `failed` and `done`: the tools that failed and succeeded before it in the message. */
  begin: (block: ToolUse, failed: readonly string[], done: readonly string[]) => OrderedCall;
}

/** What came of a message's calls. */
export interface Presented {
  /** Calls that ran, or failed in trying. */
  succeeded: number;
  failed: number;
  ends: ToolResponse['ends'];
}

/**
 * Takes the calls of a finished message in order, each to exactly one result. XML runs one call a message, native all; after a
 * rejection the rest are skipped, after an abort they are stopped. Calls that have a result already are passed over; one that has
 * begun a subtask waits for it again. What follows such a call is skipped: it was written without the subtask's result.
 */
export async function runInOrder(
  content: readonly AssistantMessageContent[],
  { finished, isStopped, isSubtask, begin }: OrderOptions,
): Promise<Presented> {
  const presented: Presented = { succeeded: 0, failed: 0, ends: undefined };
  const failedNames: string[] = [];
  const doneNames: string[] = [];
  let rejected = false;
  let subtask = false;
  let xmlCallUsed = false;
  for (const block of content) {
    if (block.type === 'text') continue;
    const before = finished.get(block.id);
    if (before === undefined) {
      const call = begin(block, failedNames, doneNames);
      if (isStopped(block)) await call.finish('stopped', formatResponse.stopped());
      else if (rejected) await call.finish('skipped', formatResponse.skippedAfterRejection());
      else if (subtask) await call.finish('skipped', formatResponse.skippedAfterSubtask());
      else if (presented.ends) await call.finish('skipped', formatResponse.skippedAfterEnd());
      else if (block.origin === 'xml' && xmlCallUsed)
        await call.finish('skipped', formatResponse.oneToolAMessage());
      else await call.run();
      presented.ends ??= call.ends;
      count(presented, call.outcome);
      if (call.outcome === 'failed') failedNames.push(block.name);
      if (call.outcome === 'done') doneNames.push(block.name);
      rejected ||= call.outcome === 'rejected';
    } else {
      rejected ||= before === 'rejected';
      if (before === 'failed') failedNames.push(block.name);
      if (before === 'done') doneNames.push(block.name);
    }
    xmlCallUsed ||= block.origin === 'xml';
    subtask ||= isSubtask(block);
  }
  return presented;
}

/** What a call that came damaged is answered, without a look at its tool. */
export function unfitCall(block: ToolUse): { outcome: ToolOutcome; words: string } | undefined {
  if (block.truncated === true) return { outcome: 'cut_off', words: formatResponse.cutOff(block.name) };
  if (block.malformed !== undefined)
    return { outcome: 'failed', words: formatResponse.toolError(block.malformed) };
  return undefined;
}

export function finishedCalls(entries: readonly JournalEntry[]): Map<string, ToolOutcome> {
  const finished = new Map<string, ToolOutcome>();
  for (const entry of entries) if (entry.type === 'tool_finished') finished.set(entry.callId, entry.outcome);
  return finished;
}

function count(presented: Presented, outcome: ToolOutcome | undefined): void {
  if (outcome === 'done') presented.succeeded++;
  if (outcome === 'failed' || outcome === 'cut_off') presented.failed++;
}
