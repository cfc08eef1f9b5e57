import { randomUUID } from 'node:crypto';
import type { AssistantMessageContent, BlockDelta } from '../../shared/tools.ts';
import { nativeCall, newCall, xmlCall, type CallState, type Param } from './CallState.ts';
import { PartialJsonObject } from './partialJson.ts';

/** What the parser must know of a tool: the tags allowed inside it, and which of them are taken raw to the call's close. */
export interface ParserTool {
  name: string;
  /** Other names that mean this tool. */
  aliases?: readonly string[];
  params: readonly string[];
  verbatim: readonly string[];
}

export interface ParserOptions {
  tools: readonly ParserTool[];
  /** Whether calls are looked for in text. Off in the native protocol, where text is only text. */
  xml: boolean;
  /** Characters of one message. Past it the open call is refused with a clear error; nothing is cut in silence. */
  limit?: number;
  mintId?: () => string;
}

const DEFAULT_LIMIT = 16 * 1024 * 1024;
/** White space that may stand between a verbatim close and the call's next tag. */
const CLOSE_GAP = 64;

interface TextState {
  type: 'text';
  text: string;
}

type BlockState = TextState | CallState;

/** The open XML call and its open parameter. */
interface OpenCall {
  block: number;
  tool: ParserTool;
  tag: string;
  param: Param | undefined;
}

/**
 * Turns a stream of text and native call deltas into one ordered list of blocks, and says what each chunk added.
 *
 * The work of a chunk is proportional to the chunk: text is scanned from `<` to `<`, values only grow at their end (the engine joins
 * them when they are read), and what might be the beginning of a tag is held back (at most the length of the longest tag), so that no
 * half tag is ever shown.
 *
 * XML calls. Outside a call only `<tool>` of a known tool means something; inside, only the tags of that tool's parameters and its
 * own close. A parameter's content is kept byte for byte, save one line break after its open tag and one before its close; values of
 * parameters that are not verbatim are trimmed. A call in a code fence is still a call: approval guards what it does.
 *
 * A verbatim parameter (a file's content, a diff, a command) may hold anything, tags of tools included. It ends at its own close tag
 * only where the call goes on as a call would: the tool's close, or another parameter that was not given yet. The first such place
 * is taken, so that a preview can be shown. If such an ending stands in the message again, wherever, nobody can tell where the
 * content ended: the call is marked malformed and refused. Only the first XML call of a message can run, so no text of a parameter
 * ever becomes a call that runs, and no content is cut short in silence.
 *
 * Deltas are previews of the raw text; the values of `blocks()` are what counts.
 */
export class AssistantMessageParser {
  /** By every name that a call can have. */
  readonly #tools: Map<string, ParserTool>;
  readonly #xml: boolean;
  readonly #limit: number;
  readonly #mintId: () => string;
  readonly #longestTag: number;
  /** With which characters the name of a call begins. */
  readonly #initials: ReadonlySet<number>;
  readonly #blocks: BlockState[] = [];
  readonly #native = new Map<string, number>();
  /** Text not taken yet: less than a tag, or a verbatim close whose meaning the next characters decide. */
  #held = '';
  #size = 0;
  #overLimit = false;
  #call: OpenCall | undefined;
  /** Endings of verbatim parameters that were taken: each would be ambiguous if it stood in the message again. */
  readonly #endings: { block: number; tool: ParserTool; tag: string; param: string }[] = [];

  constructor({ tools, xml, limit = DEFAULT_LIMIT, mintId = () => `call_${randomUUID()}` }: ParserOptions) {
    this.#tools = new Map(
      tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool])),
    );
    this.#xml = xml;
    this.#limit = limit;
    this.#mintId = mintId;
    this.#longestTag = Math.max(
      0,
      ...tools
        .flatMap((tool) => [tool.name, ...(tool.aliases ?? []), ...tool.params])
        .map((name) => name.length + 3),
    );
    this.#initials = new Set([...this.#tools.keys()].map((name) => name.charCodeAt(0)));
  }

  text(chunk: string): BlockDelta[] {
    if (!this.#takeSize(chunk.length)) return [];
    if (!this.#xml || (this.#held === '' && !chunk.includes('<'))) {
      const delta = this.#add(chunk);
      return delta ? [delta] : [];
    }
    const deltas: BlockDelta[] = [];
    this.#scan(this.#held + chunk, false, deltas);
    return deltas;
  }

  nativeStart(id: string, name: string): BlockDelta[] {
    const deltas = this.#flush();
    if (this.#native.has(id)) return deltas;
    const block = this.#blocks.length;
    const json = new PartialJsonObject(block);
    this.#native.set(id, block);
    const tool = this.#tools.get(name)?.name ?? name;
    this.#blocks.push({ ...newCall(id, name, tool, 'native'), json });
    deltas.push({ type: 'tool_started', block, id, name: tool, origin: 'native' });
    return deltas;
  }

  nativeDelta(id: string, chunk: string): BlockDelta[] {
    const block = this.#native.get(id);
    const call = block === undefined ? undefined : this.#blocks[block];
    if (block === undefined || call?.type !== 'tool_use' || call.ended || !this.#takeSize(chunk.length))
      return [];
    call.arguments += chunk;
    return call.json?.push(chunk) ?? [];
  }

  nativeEnd(id: string): BlockDelta[] {
    const block = this.#native.get(id);
    const call = block === undefined ? undefined : this.#blocks[block];
    if (block === undefined || call?.type !== 'tool_use' || call.ended) return [];
    call.ended = true;
    if (this.#overLimit) call.malformed ??= tooLarge(this.#limit);
    return [{ type: 'tool_ended', block }];
  }

  /** The stream has ended: what is held is text, what is open is truncated. */
  finish(): BlockDelta[] {
    const deltas = this.#flush();
    if (this.#call) this.#truncate(this.#call.block, deltas);
    this.#call = undefined;
    for (const block of this.#native.values()) {
      const call = this.#blocks[block];
      if (call?.type === 'tool_use' && !call.ended) this.#truncate(block, deltas);
    }
    return deltas;
  }

  /** The message so far. */
  blocks(): AssistantMessageContent[] {
    return this.#blocks.map((block): AssistantMessageContent => {
      if (block.type === 'text') return { type: 'text', text: block.text, partial: false };
      return block.origin === 'native'
        ? nativeCall(block)
        : xmlCall(block, this.#tools.get(block.name)?.verbatim ?? []);
    });
  }

  #takeSize(length: number): boolean {
    this.#size += length;
    if (this.#size <= this.#limit) return true;
    this.#overLimit = true;
    for (const block of this.#blocks)
      if (block.type === 'tool_use' && !block.ended) block.malformed = tooLarge(this.#limit);
    return false;
  }

  #flush(): BlockDelta[] {
    const deltas: BlockDelta[] = [];
    if (this.#held !== '') this.#scan(this.#held, true, deltas);
    return deltas;
  }

  /** Takes all of `text` that can be decided; the rest is held. `final`: nothing follows. */
  #scan(text: string, final: boolean, deltas: BlockDelta[]): void {
    this.#held = '';
    let taken = 0;
    let at = text.indexOf('<');
    while (at !== -1) {
      const length = this.#mayBegin(text, at) ? this.#tagLength(text, at, final) : 0;
      if (length !== 0) this.#take(text.slice(taken, at), deltas);
      if (length === undefined) {
        this.#held = text.slice(at);
        return;
      }
      if (length > 0) {
        taken = at + length;
        this.#takeTag(text.slice(at + 1, taken - 1), deltas);
      }
      at = text.indexOf('<', at + Math.max(length, 1));
    }
    this.#take(text.slice(taken), deltas);
  }

  #take(text: string, deltas: BlockDelta[]): void {
    const delta = this.#add(text);
    if (delta) deltas.push(delta);
  }

  /** Whether the character behind a `<` lets it begin a tag that means something here: most are told apart by it alone. */
  #mayBegin(text: string, at: number): boolean {
    if (at + 1 === text.length || text.charAt(at + 1) === '/') return true;
    return this.#call ? !this.#call.param : this.#initials.has(text.charCodeAt(at + 1));
  }

  /** The length of the tag that stands at a `<`; 0 when it means nothing here and is plain text, undefined when more must come to know. */
  #tagLength(text: string, at: number, final: boolean): number | undefined {
    const window = text.slice(at, at + this.#longestTag);
    const length = window.indexOf('>') + 1;
    if (length === 0) {
      const undecided = !final && window.length < this.#longestTag && this.#couldBeTag(window.slice(1));
      return undecided ? undefined : 0;
    }
    const name = window.slice(1, length - 1);
    if (this.#endsAgain(name, text, at + length, final) === undefined) return undefined;
    const means = this.#call ? this.#meansInCall(name, text, at + length, final) : this.#tools.has(name);
    return means === undefined ? undefined : means ? length : 0;
  }

  /** Whether `rest` (behind a `<`) could still become a tag that means something here. */
  #couldBeTag(rest: string): boolean {
    const starts = (name: string): boolean => name.startsWith(rest);
    if (this.#endings.some(({ param }) => starts(`/${param}`))) return true;
    if (!this.#call) return [...this.#tools.keys()].some(starts);
    const { tool, tag, param } = this.#call;
    return param ? starts(`/${param.name}`) : starts(`/${tag}`) || tool.params.some(starts);
  }

  /**
   * Whether an ending that was taken stands here again; then its call may have been cut short by its own content and is refused.
   * Undefined when more must come to know.
   */
  #endsAgain(name: string, text: string, from: number, final: boolean): boolean | undefined {
    for (const ending of this.#endings) {
      if (name !== `/${ending.param}`) continue;
      const follows = goesOn(text, from, final, callTags(ending.tag, ending.tool.params));
      if (follows === undefined) return undefined;
      const call = this.#blocks[ending.block];
      if (follows && call?.type === 'tool_use') call.malformed ??= ambiguous(ending.tool.name, ending.param);
    }
    return false;
  }

  /** Whether the tag means something in the open call; undefined when what follows it, from `from` on, must come to know. */
  #meansInCall(name: string, text: string, from: number, final: boolean): boolean | undefined {
    const call = this.#call;
    const state = call ? this.#blocks[call.block] : undefined;
    if (!call || state?.type !== 'tool_use') return false;
    const { tool, tag, param } = call;
    if (!param) return name === `/${tag}` || tool.params.includes(name);
    if (name !== `/${param.name}`) return false;
    if (!tool.verbatim.includes(param.name)) return true;
    const missing = tool.params.filter((other) => !state.params.has(other));
    return goesOn(text, from, final, callTags(tag, missing));
  }

  /** Does what a tag that means something says. */
  #takeTag(name: string, deltas: BlockDelta[]): void {
    const call = this.#call;
    if (!call) this.#openCall(name, deltas);
    else if (call.param) this.#closeParam(call, call.param);
    else if (name === `/${call.tag}`) this.#endCall(call, deltas);
    else this.#openParam(call, name);
  }

  #openCall(name: string, deltas: BlockDelta[]): void {
    const tool = this.#tools.get(name);
    if (!tool) return;
    const block = this.#blocks.length;
    const id = this.#mintId();
    this.#blocks.push(newCall(id, name, tool.name, 'xml'));
    this.#call = { block, tool, tag: name, param: undefined };
    deltas.push({ type: 'tool_started', block, id, name: tool.name, origin: 'xml' });
  }

  /** A parameter given twice: the last one counts. What was shown of the first is replaced when the message is whole. */
  #openParam(call: OpenCall, name: string): void {
    const state = this.#blocks[call.block];
    if (state?.type !== 'tool_use') return;
    call.param = { name, text: '' };
    state.params.set(name, call.param);
  }

  #closeParam(call: OpenCall, { name }: Param): void {
    const { block, tool, tag } = call;
    if (tool.verbatim.includes(name)) this.#endings.push({ block, tool, tag, param: name });
    call.param = undefined;
  }

  #endCall({ block }: OpenCall, deltas: BlockDelta[]): void {
    const state = this.#blocks[block];
    if (state?.type !== 'tool_use') return;
    state.ended = true;
    deltas.push({ type: 'tool_ended', block });
    this.#call = undefined;
  }

  #truncate(block: number, deltas: BlockDelta[]): void {
    const call = this.#blocks[block];
    if (call?.type !== 'tool_use') return;
    call.ended = true;
    if (call.malformed === undefined) call.truncated = true;
    deltas.push({ type: 'tool_ended', block, truncated: true });
  }

  /** Characters that are no tag: of the open parameter, or text. Between parameters there is only layout; remarks there mean nothing. */
  #add(text: string): BlockDelta | undefined {
    if (text === '') return undefined;
    if (this.#call) {
      const { block, param } = this.#call;
      if (!param) return undefined;
      param.text += text;
      return { type: 'param', block, name: param.name, text };
    }
    const last = this.#blocks.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.#blocks.push({ type: 'text', text });
    return { type: 'text', block: this.#blocks.length - 1, text };
  }
}

/** How a call can go on behind a verbatim parameter. */
function callTags(tag: string, params: readonly string[]): string[] {
  return [`</${tag}>`, ...params.map((name) => `<${name}>`)];
}

/** Whether one of the tags stands at `from`, white space aside; undefined when more must come to know. */
function goesOn(text: string, from: number, final: boolean, tags: readonly string[]): boolean | undefined {
  let at = from;
  while (at < text.length && at - from <= CLOSE_GAP && ' \t\r\n'.includes(text.charAt(at))) at++;
  if (at - from > CLOSE_GAP) return false;
  const rest = text.slice(at, at + Math.max(...tags.map((tag) => tag.length)));
  if (tags.some((tag) => rest.startsWith(tag))) return true;
  return !final && tags.some((tag) => tag.startsWith(rest)) ? undefined : false;
}

function ambiguous(tool: string, param: string): string {
  return (
    `This call of ${tool} was not run: '</${param}>' followed by the rest of a call stands more than once in the message, so it is not clear where '${param}' ends. ` +
    `Send this call alone in a message. If the content itself must hold those tags, write it in two steps so that no single call holds them together.`
  );
}

function tooLarge(limit: number): string {
  return `This call was not run: the message is longer than ${limit} characters. Send the change in smaller pieces.`;
}
