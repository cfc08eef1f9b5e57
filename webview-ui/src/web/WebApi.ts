import * as z from 'zod';
import { editorMethods } from '../../../src/shared/editor.ts';
import { taskIdSchema } from '../../../src/shared/taskId.ts';
import { message, type Message } from '../../../src/shared/strings.ts';
import { serverMessageSchema, type ClientMessage, type ServerMessage } from '../../../src/shared/wire.ts';
import type { EditorApi } from '../editorApi.ts';
import type { PageMemory } from './PageMemory.ts';

/** Requests that change nothing, by the second half of their names: they wait for the server to be there, and are asked again. */
const READS =
  /^(task\/(subscribe|unsubscribe|page|list|search|export)|(mode|command|rule|profile|mcp|checkpoint)\/(list|overview|logs|entry|diff|file)|service\/find|approval\/(policy|proposal)|editor\/(about|find\w+|mentionable|surroundings))$/;

export interface WebApiOptions {
  memory: PageMemory;
  /** @returns whether it went out */
  send: (text: string) => boolean;
}

/**
 * The editor's part for a page that has none: requests go over the line to the server, but for those that the browser itself can
 * answer. What was asked when the line broke is asked again, or, where that could do something twice, said to be unknown.
 */
export class WebApi implements EditorApi {
  readonly surface = 'browser';
  readonly #options: WebApiOptions;
  readonly #listeners = new Set<(data: unknown) => void>();
  /** Asked and not answered, in order. */
  readonly #open = new Map<number, ClientMessage>();
  /** Whether the server has taken this page's `editor/ready`: what is asked before it would be forgotten. */
  #ready = false;

  constructor(options: WebApiOptions) {
    this.#options = options;
  }

  getState(): unknown {
    return this.#options.memory.state;
  }

  setState(state: unknown): void {
    this.#options.memory.state = state;
  }

  listen(listener: (data: unknown) => void): void {
    this.#listeners.add(listener);
  }

  post(request: ClientMessage): void {
    const answer = this.#answer(request);
    if (answer) {
      // Never within the call that asked.
      queueMicrotask(() => this.#tell(answer));
      return;
    }
    const isHandshake = request.method === 'editor/ready';
    const waits = !this.#ready && !isHandshake;
    if (waits && !READS.test(request.method)) {
      queueMicrotask(() => this.#tell(failed(request.id, message('web.notConnected'))));
      return;
    }
    this.#open.set(request.id, request);
    if (!waits) this.#options.send(JSON.stringify(request));
  }

  /** What the server said. */
  receive(text: string): void {
    const parsed = serverMessageSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return;
    const said = parsed.data;
    if (said.type === 'notification') {
      this.#tell(said);
      return;
    }
    const asked = this.#open.get(said.id);
    this.#open.delete(said.id);
    if (asked) this.#tell(this.#completed(asked, said));
  }

  /** The line broke: nobody answers what was asked over it. */
  lost(): void {
    this.#ready = false;
    for (const [id, { method }] of this.#open) {
      if (READS.test(method)) continue;
      this.#open.delete(id);
      this.#tell(failed(id, message(method === 'editor/ready' ? 'web.notConnected' : 'web.lost')));
    }
  }

  #completed(asked: ClientMessage, said: ServerMessage): ServerMessage {
    const { memory } = this.#options;
    if (asked.method === 'editor/ready' && said.type === 'response') {
      this.#ready = true;
      for (const request of this.#open.values()) this.#options.send(JSON.stringify(request));
      const result = z.record(z.string(), z.unknown()).parse(said.result);
      return memory.task === undefined ? said : { ...said, result: { ...result, taskId: memory.task } };
    }
    // The task that was open is no more: the next load does not ask for it.
    if (asked.method === 'task/subscribe' && said.type === 'error' && said.error.code === 'not_found')
      memory.task = undefined;
    return said;
  }

  /** What the browser does itself; undefined for what is the server's. */
  #answer({ id, method, params }: ClientMessage): ServerMessage | undefined {
    const done = (result: object = {}): ServerMessage => ({ type: 'response', id, result });
    switch (method) {
      case 'editor/opened':
        this.#options.memory.task = z.object({ taskId: taskIdSchema.optional() }).parse(params).taskId;
        return done();
      case 'editor/focused':
      // The page's state is kept at each change.
      case 'editor/keepDrafts':
        return done();
      case 'editor/openExternal': {
        const { url } = editorMethods[method].params.parse(params);
        if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
          return failed(id, message('vscode.onlyWeb'));
        window.open(url, '_blank', 'noopener,noreferrer');
        return done();
      }
      case 'editor/saveText': {
        const { name, text } = editorMethods[method].params.parse(params);
        download(name, text);
        return done({ saved: true });
      }
      default:
        return undefined;
    }
  }

  #tell(said: ServerMessage): void {
    for (const listener of this.#listeners) listener(said);
  }
}

function failed(id: number, words: Message): ServerMessage {
  return { type: 'error', id, error: { code: 'unavailable', message: words } };
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name.replace(/[\\/:*?"<>|]/g, ' ').trim();
  link.click();
  // The browser has taken it by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
