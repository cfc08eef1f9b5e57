import type { JournalEntry, TaskDelta, Usage } from './events.ts';
import type { ToolUse, ToolView } from './tools.ts';
import type { RequestStatus, ToolItem, ViewItem } from './viewItems.ts';

const TITLE_LENGTH = 80;
/** Characters of a running command's output that are kept; the result has what counts. */
const OUTPUT_LENGTH = 64 * 1024;

export function newCall(
  key: string,
  callId: string,
  tool: string,
  origin: ToolUse['origin'],
  state: ToolItem['state'],
  params: ToolItem['params'],
  view: ToolView,
): ToolItem {
  return { type: 'tool', key, callId, tool, origin, params, view, state, result: [], output: '' };
}

/** Of an item that stands for one entry of the journal. */
export function entryKey(seq: number): string {
  return `entry:${seq}`;
}

/** The number of the entry that an item stands for. */
export function seqOf(key: string): number | undefined {
  const match = /^entry:(\d+)$/.exec(key);
  return match ? Number(match[1]) : undefined;
}

export function blockKey(requestId: string, block: number): string {
  return `${requestId}:${block}`;
}

export function reasoningKey(requestId: string): string {
  return `${requestId}:reasoning`;
}

export function blockOf(key: string): number {
  const block = Number(key.slice(key.lastIndexOf(':') + 1));
  return Number.isNaN(block) ? -1 : block;
}

/** A native call's arguments as cards show them: strings as they are, anything else as JSON. */
export function stringParams(
  args: Readonly<Record<string, unknown>>,
  params: ToolItem['params'],
): Record<string, string> {
  const strings: Record<string, string> = { ...params };
  for (const [name, value] of Object.entries(args))
    strings[name] ??= typeof value === 'string' ? value : JSON.stringify(value);
  return strings;
}

export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const characters = Array.from(line.slice(0, 4 * TITLE_LENGTH));
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}

export function addUsage(sum: Usage, usage: Usage): Usage {
  const cost = usage.cost === undefined ? sum.cost : (sum.cost ?? 0) + usage.cost;
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
    reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
    ...(cost === undefined ? {} : { cost }),
  };
}

/** What was condensed or trimmed for the model, with what it saved. */
export function condensedItem(
  key: string,
  entry: Extract<JournalEntry, { type: 'context_condensed' | 'results_trimmed' }>,
): ViewItem {
  const { tokensBefore: before, tokensAfter: after } = entry;
  if (entry.type === 'results_trimmed')
    return { type: 'trimmed', key, tokens: { before: entry.tokensBefore, after: entry.tokensAfter } };
  const tokens = before === undefined || after === undefined ? {} : { tokens: { before, after } };
  return { type: 'condensed', key, summary: entry.summary, ...tokens };
}

/** Cut with slack, so that each delta does not copy the whole. */
export function appendOutput(output: string, text: string): string {
  const whole = output + text;
  return whole.length > 2 * OUTPUT_LENGTH ? whole.slice(-OUTPUT_LENGTH) : whole;
}

/** The retry that is to come; nothing when the request goes on. */
export function statusOf(delta: Extract<TaskDelta, { type: 'request_status' }>): RequestStatus | undefined {
  const { requestId, error, attempt, retryAt } = delta;
  if (error === null) return undefined;
  return { requestId, error, attempt, ...(retryAt === undefined ? {} : { retryAt }) };
}
