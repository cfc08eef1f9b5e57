import type { JournalEntry, ModelReference } from '../../shared/events.ts';
import type { ResultContent, ToolUse } from '../../shared/tools.ts';
import { condensedHistory } from '../context/condensedHistory.ts';
import { trimmedResult } from '../context/trimmedResult.ts';
import { fenced } from '../prompts/fenced.ts';
import { formatResponse } from '../prompts/responses.ts';
import type { AssistantPart, ProviderMessage, UserPart } from '../provider/Provider.ts';

type Entry<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

/**
 * The journal as a request's messages. Calls and results are rendered in the protocol that the model speaks now:
 * native calls as tool_call / tool_result parts, everything else as text, so that a task can change protocol midway.
 * What was condensed is its summary, and what was trimmed is short. The same entries give the same messages, and more entries only
 * add to them, save where one of them condenses or trims.
 */
export function apiMessages(entries: readonly JournalEntry[], model: ModelReference): ProviderMessage[] {
  const messages: ProviderMessage[] = [];
  const results = new Map<string, Entry<'tool_finished'>>();
  const providers = new Map<string, string>();
  let condensed: Entry<'context_condensed'> | undefined;
  let trimmedThrough = 0;
  for (const entry of entries) {
    if (entry.type === 'tool_finished') results.set(entry.callId, entry);
    if (entry.type === 'request_started') providers.set(entry.requestId, entry.model.provider);
    if (entry.type === 'context_condensed') condensed = entry;
    if (entry.type === 'results_trimmed') trimmedThrough = entry.through;
  }
  if (condensed) add(messages, 'user', [{ type: 'text', text: condensedHistory(entries, condensed) }]);
  for (const entry of entries) {
    if (entry.seq <= (condensed?.through ?? 0)) continue;
    if (entry.type === 'user_message') add(messages, 'user', userParts(entry));
    if (entry.type === 'mentions_read') add(messages, 'user', mentionParts(entry));
    if (entry.type === 'checkpoint_restored')
      add(messages, 'user', [{ type: 'text', text: formatResponse.filesRestored() }]);
    if (entry.type !== 'assistant_message') continue;
    const sameProvider = providers.get(entry.requestId) === model.provider;
    const parts = assistantParts(entry, model.protocol, sameProvider);
    if (parts.length === 0) continue;
    add(messages, 'assistant', parts);
    add(messages, 'user', resultParts(entry, results, model.protocol, entry.seq <= trimmedThrough));
  }
  return messages;
}

/** Adds parts to the last message of that role, so that roles alternate. */
function add(messages: ProviderMessage[], role: 'user', parts: UserPart[]): void;
function add(messages: ProviderMessage[], role: 'assistant', parts: AssistantPart[]): void;
function add(
  messages: ProviderMessage[],
  role: 'user' | 'assistant',
  parts: (UserPart | AssistantPart)[],
): void {
  if (parts.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) (last.content as (UserPart | AssistantPart)[]).push(...parts);
  else messages.push({ role, content: [...parts] } as ProviderMessage);
}

function userParts(entry: Entry<'user_message'>): UserPart[] {
  const parts: UserPart[] = [];
  const words = entry.command?.text ?? entry.text;
  if (words !== '') parts.push({ type: 'text', text: words });
  for (const { name, text } of entry.attachments ?? [])
    parts.push({ type: 'text', text: fenced('attached', { path: name }, text) });
  for (const image of entry.images ?? []) parts.push({ type: 'image', ...image });
  if (entry.environment !== undefined) parts.push({ type: 'text', text: entry.environment });
  return parts;
}

function mentionParts(entry: Entry<'mentions_read'>): UserPart[] {
  return entry.mentions.flatMap(({ content }) => content);
}

function assistantParts(
  entry: Entry<'assistant_message'>,
  protocol: 'xml' | 'native',
  sameProvider: boolean,
): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const block of entry.content) {
    if (block.type === 'text') {
      if (block.text.trim() !== '') parts.push({ type: 'text', text: block.text });
    } else if (isNativeCall(block, protocol)) {
      parts.push({
        type: 'tool_call',
        callId: block.id,
        tool: block.calledAs ?? block.name,
        arguments: block.nativeArgs ?? block.params,
        ...(sameProvider && block.providerMetadata ? { providerMetadata: block.providerMetadata } : {}),
      });
    } else {
      parts.push({ type: 'text', text: xmlCall(block) });
    }
  }
  // Reasoning goes back only to who signed it, and only before something it led to.
  if (!sameProvider || parts.length === 0) return parts;
  const signed = (entry.reasoning?.parts ?? []).filter((part) => part.providerMetadata !== undefined);
  return [...signed.map((part): AssistantPart => ({ type: 'reasoning', ...part })), ...parts];
}

function resultParts(
  entry: Entry<'assistant_message'>,
  results: ReadonlyMap<string, Entry<'tool_finished'>>,
  protocol: 'xml' | 'native',
  trimmed: boolean,
): UserPart[] {
  const native: UserPart[] = [];
  const text: UserPart[] = [];
  for (const block of entry.content) {
    if (block.type !== 'tool_use') continue;
    const result = results.get(block.id);
    const whole: ResultContent[] = result?.content ?? [
      { type: 'text', text: `[${block.name}] has no result: it did not finish.` },
    ];
    const content = trimmed ? trimmedResult(whole) : whole;
    if (isNativeCall(block, protocol)) {
      const isError = result?.outcome !== 'done';
      const tool = block.calledAs ?? block.name;
      native.push({ type: 'tool_result', callId: block.id, tool, content, isError });
    } else if (block.origin === 'native') {
      // As text it must say itself which call it answers.
      text.push(...formatResponse.toolResult(block.name, result?.view.subject ?? '', content));
    } else {
      text.push(...content);
    }
  }
  return [...native, ...text];
}

function isNativeCall(block: ToolUse, protocol: 'xml' | 'native'): boolean {
  return protocol === 'native' && block.origin === 'native';
}

function xmlCall(block: ToolUse): string {
  const params = Object.entries(block.params).map(
    ([name, value]) => `<${name}>${value.includes('\n') ? `\n${value}\n` : value}</${name}>`,
  );
  const tag = block.calledAs ?? block.name;
  return [`<${tag}>`, ...params, ...(block.truncated === true ? [] : [`</${tag}>`])].join('\n');
}
