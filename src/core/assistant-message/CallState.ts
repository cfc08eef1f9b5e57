import type { ToolUse } from '../../shared/tools.ts';
import type { PartialJsonObject } from './partialJson.ts';

export interface Param {
  name: string;
  text: string;
}

/** A call while its message is parsed. */
export interface CallState {
  type: 'tool_use';
  id: string;
  name: string;
  /** The other name of the tool by which it was called. */
  calledAs: string | undefined;
  origin: 'xml' | 'native';
  params: Map<string, Param>;
  json?: PartialJsonObject;
  /** The raw JSON of a native call. */
  arguments: string;
  ended: boolean;
  truncated: boolean;
  malformed: string | undefined;
}

/** `called` is the name that stands in the message, `tool` what it means. */
export function newCall(id: string, called: string, tool: string, origin: 'xml' | 'native'): CallState {
  return {
    type: 'tool_use',
    id,
    name: tool,
    calledAs: called === tool ? undefined : called,
    origin,
    params: new Map(),
    arguments: '',
    ended: false,
    truncated: false,
    malformed: undefined,
  };
}

/** A call in text: values of `verbatim` parameters as they are, all others trimmed. */
export function xmlCall(call: CallState, verbatim: readonly string[]): ToolUse {
  const params: Record<string, string> = {};
  for (const { name, text } of call.params.values())
    params[name] = verbatim.includes(name) ? withoutOuterBreaks(text) : text.trim();
  return toolUse(call, params);
}

export function nativeCall(call: CallState): ToolUse {
  const parsed = call.ended && !call.truncated ? parseArguments(call.arguments) : undefined;
  const params: Record<string, string> = {};
  if (parsed?.ok)
    for (const [name, value] of Object.entries(parsed.value))
      params[name] = typeof value === 'string' ? value : JSON.stringify(value);
  else for (const { name, text } of call.json?.values() ?? []) params[name] = text;
  const malformed = call.malformed ?? (parsed?.ok === false ? parsed.error : undefined);
  return {
    ...toolUse({ ...call, malformed }, params),
    ...(parsed?.ok ? { nativeArgs: parsed.value } : {}),
  };
}

function toolUse(call: CallState, params: Record<string, string>): ToolUse {
  return {
    type: 'tool_use',
    id: call.id,
    name: call.name,
    ...(call.calledAs === undefined ? {} : { calledAs: call.calledAs }),
    origin: call.origin,
    params,
    partial: !call.ended,
    ...(call.truncated ? { truncated: true } : {}),
    ...(call.malformed === undefined ? {} : { malformed: call.malformed }),
  };
}

/** A content on lines of its own: without the line break after the open tag and the one before the close. */
function withoutOuterBreaks(value: string): string {
  const start = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0;
  const end =
    value.endsWith('\r\n') && value.length >= start + 2
      ? 2
      : value.endsWith('\n') && value.length > start
        ? 1
        : 0;
  return value.slice(start, value.length - end);
}

function parseArguments(
  text: string,
): { ok: true; value: Record<string, unknown> } | { ok: false; error: string } {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, value: { ...value } };
    return {
      ok: false,
      error:
        'The arguments of this call are not a JSON object. Send the call again with one object that holds its parameters.',
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {
      ok: false,
      error: `The arguments of this call are not valid JSON (${error.message.slice(0, 200)}). Send the call again with valid JSON.`,
    };
  }
}
