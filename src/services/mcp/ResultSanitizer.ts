import { isSpecType, type JSONRPCMessage } from '@modelcontextprotocol/client';

type Json = Record<string, unknown>;

const LISTS: Readonly<
  Record<string, { key: string; type: 'Tool' | 'Resource' | 'ResourceTemplate' | 'Prompt' }>
> = {
  'tools/list': { key: 'tools', type: 'Tool' },
  'resources/list': { key: 'resources', type: 'Resource' },
  'resources/templates/list': { key: 'resourceTemplates', type: 'ResourceTemplate' },
  'prompts/list': { key: 'prompts', type: 'Prompt' },
};

/**
 * Mends what a server answers before the SDK reads it. The SDK refuses a whole list for one entry that breaks its schema, and a whole
 * result for one kind of content that it does not know; here the entry is left out, and the content becomes words.
 */
export class ResultSanitizer {
  /** Requests of ours that wait for their answer: id → method. */
  readonly #pending = new Map<string | number, string>();
  readonly #leftOut: (what: { method: string; name: string; reason: string }) => void;

  constructor(leftOut: (what: { method: string; name: string; reason: string }) => void) {
    this.#leftOut = leftOut;
  }

  sent(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#pending.set(message.id, message.method);
  }

  isPending(id: string | number): boolean {
    return this.#pending.has(id);
  }

  received(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message || message.id === undefined) return message;
    const method = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (method === undefined || !('result' in message)) return message;
    const result: unknown = message.result;
    if (!isObject(result)) return message;
    const list = LISTS[method];
    if (list) return { ...message, result: this.#list(method, list, result) };
    if (method === 'tools/call') return { ...message, result: contentOf(result, 'content') };
    return message;
  }

  #list(method: string, { key, type }: (typeof LISTS)[string], result: Json): Json {
    const entries = result[key];
    if (!Array.isArray(entries)) return result;
    const good = entries.filter((entry: unknown) => {
      if (isSpecType[type](entry)) return true;
      this.#leftOut({ method, name: nameOf(entry), reason: reasonOf(entry, method) });
      return false;
    });
    return { ...result, [key]: good };
  }
}

function contentOf(result: Json, key: string): Json {
  const content = result[key];
  if (!Array.isArray(content)) return result;
  return {
    ...result,
    [key]: content.map((block: unknown) => (isSpecType.ContentBlock(block) ? block : inWords(block))),
  };
}

/** What a person or a model can be told of content that nobody knows: its kind, and its text where it has one. */
function inWords(block: unknown): Json {
  const type = isObject(block) && typeof block.type === 'string' ? block.type.slice(0, 80) : 'nameless';
  const text = isObject(block) && typeof block.text === 'string' ? `: ${block.text}` : '';
  return { type: 'text', text: `[content of the kind '${type}', which cannot be shown here${text}]` };
}

function nameOf(entry: unknown): string {
  if (!isObject(entry)) return '(not an object)';
  for (const key of ['name', 'uri', 'uriTemplate'])
    if (typeof entry[key] === 'string') return entry[key].slice(0, 120);
  return '(without a name)';
}

function reasonOf(entry: unknown, method: string): string {
  if (!isObject(entry)) return 'it is not an object';
  if (typeof entry.name !== 'string') return 'it has no name';
  if (method === 'tools/list') {
    if (!isObject(entry.inputSchema)) return 'its inputSchema is not an object';
    if (entry.inputSchema.type !== 'object') return "its inputSchema is not of type 'object'";
  }
  return 'it does not fit the protocol';
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
