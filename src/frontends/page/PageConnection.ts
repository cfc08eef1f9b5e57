import * as z from 'zod';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError, type Dispatcher } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import { editorMethods, type EditorMethods, type EditorNotifications } from '../../shared/editor.ts';
import { methods, taskIdSchema, type NotificationName } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';
import { clientMessageSchema, type ServerMessage } from '../../shared/wire.ts';
import { EventCoalescer } from './EventCoalescer.ts';
import { invalidRequest, restricted } from './restricted.ts';

export type EditorHandlers = {
  [M in keyof EditorMethods]: (
    params: z.infer<EditorMethods[M]['params']>,
  ) => Promise<z.infer<EditorMethods[M]['result']>>;
};

/** What a page talks to: an agent, or what stands for several. */
export interface PageAgent {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly onNotification: Agent['onNotification'];
}

export interface PageConnectionOptions {
  agent: () => Promise<PageAgent>;
  editor: EditorHandlers;
  post: (message: ServerMessage) => void;
  /** Absolute paths of the workspace's roots: a view may start tasks there and nowhere else. */
  folders: () => readonly string[];
  logger: Logger;
}

/**
 * One page's line to the agent: the sidebar of an editor, or the web chat. What comes in is checked before anything acts on it; what
 * goes out are answers, and the events of the tasks that this page subscribed to, one batch a frame. Nothing is sent before the page
 * has said `editor/ready`, which each loading of the page says anew.
 */
export class PageConnection {
  readonly #options: PageConnectionOptions;
  readonly #subscribed = new Map<string, EventCoalescer>();
  /** Counts the loadings of the page: what an earlier one asked for is not the next one's business. */
  #page = 0;
  #ready = false;
  #disposed = false;
  #stopListening: (() => void) | undefined;
  #whenReady: ServerMessage[] = [];

  constructor(options: PageConnectionOptions) {
    this.#options = options;
  }

  /** Takes one message of the webview; never rejects. One that is no request changes nothing and is logged. */
  async receive(raw: unknown): Promise<void> {
    const parsed = clientMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.#options.logger.warn(`a message of a page was dropped: ${z.prettifyError(parsed.error)}`);
      return;
    }
    if (this.#disposed) return;
    const { id, method, params } = parsed.data;
    if (method === 'editor/ready') this.forgetPage();
    const page = this.#page;
    const answer = await this.#answered(id, method, params);
    if (page !== this.#page) return;
    this.#options.post(answer);
    if (method === 'editor/ready' && answer.type === 'response') this.#becomeReady();
  }

  notify<N extends keyof EditorNotifications>(name: N, params: z.infer<EditorNotifications[N]>): void {
    this.#post(name, params);
  }

  /** Like `notify`, but a page that is still loading gets it when it is ready. */
  notifyWhenReady<N extends keyof EditorNotifications>(
    name: N,
    params: z.infer<EditorNotifications[N]>,
  ): void {
    if (this.#ready) this.#post(name, params);
    else this.#whenReady.push({ type: 'notification', name, params });
  }

  /** The page is gone (hidden, reloaded): what is sent now would pile up for nobody. */
  forgetPage(): void {
    this.#page++;
    this.#ready = false;
    for (const coalescer of this.#subscribed.values()) coalescer.dispose();
    this.#subscribed.clear();
  }

  dispose(): void {
    this.forgetPage();
    this.#disposed = true;
    this.#stopListening?.();
  }

  async #answered(id: number, method: string, params: unknown): Promise<ServerMessage> {
    try {
      return { type: 'response', id, result: await this.#answer(method, params) };
    } catch (error) {
      if (error instanceof ProtocolError) return { type: 'error', id, error: error.data };
      this.#options.logger.error(`request ${method} of a page failed`, error);
      const reason = error instanceof Error ? error.message : String(error);
      return {
        type: 'error',
        id,
        error: { code: 'internal', message: message('error.internal', { reason }) },
      };
    }
  }

  #becomeReady(): void {
    this.#ready = true;
    const waiting = this.#whenReady;
    this.#whenReady = [];
    for (const said of waiting) this.#options.post(said);
  }

  async #answer(method: string, params: unknown): Promise<unknown> {
    if (isEditorMethod(method)) return await this.#editor(method, params);
    const page = this.#page;
    const agent = await this.#options.agent();
    if (page !== this.#page) return undefined;
    this.#stopListening ??= agent.onNotification((name, said) => this.#hear(name, said));
    const subscribed = this.#subscription(method, params);
    const answer = await agent.dispatcher.dispatch(
      method,
      restricted(method, params, this.#options.folders()),
    );
    if (!answer.ok) {
      if (subscribed !== undefined) this.#unsubscribe(subscribed);
      throw new ProtocolError(answer.error.code, answer.error.message);
    }
    // Events may come before the snapshot that holds them; a client drops what it knows by its number.
    return answer.result;
  }

  async #editor(method: keyof EditorMethods, params: unknown): Promise<unknown> {
    const parsed = editorMethods[method].params.safeParse(params);
    if (!parsed.success) throw invalidRequest(method, parsed.error);
    const handler = this.#options.editor[method] as (params: unknown) => Promise<unknown>;
    return await handler(parsed.data);
  }

  /** Listens before the snapshot is taken, so that nothing falls in between. Returns the task that was newly subscribed. */
  #subscription(method: string, params: unknown): string | undefined {
    if (method !== 'task/subscribe' && method !== 'task/unsubscribe') return undefined;
    const parsed = methods['task/unsubscribe'].params.safeParse(params);
    if (!parsed.success) return undefined;
    const { taskId } = parsed.data;
    const known = this.#subscribed.has(taskId);
    this.#unsubscribe(taskId);
    if (method === 'task/unsubscribe') return undefined;
    const post = (events: Parameters<EventCoalescer['add']>[0][]): void =>
      this.#post('task/events', { taskId, events });
    this.#subscribed.set(taskId, new EventCoalescer(post));
    return known ? undefined : taskId;
  }

  #unsubscribe(taskId: string): void {
    this.#subscribed.get(taskId)?.dispose();
    this.#subscribed.delete(taskId);
  }

  #hear(name: NotificationName, params: unknown): void {
    if (name !== 'task/events' && name !== 'task/queue') {
      this.#post(name, params);
      return;
    }
    const { taskId, events } = params as { taskId: string; events?: Parameters<EventCoalescer['add']>[0][] };
    const coalescer = this.#subscribed.get(taskIdSchema.parse(taskId));
    if (!coalescer) return;
    if (events) for (const event of events) coalescer.add(event);
    else this.#post(name, params);
  }

  #post(name: string, params: unknown): void {
    if (this.#ready) this.#options.post({ type: 'notification', name, params });
  }
}

function isEditorMethod(method: string): method is keyof EditorMethods {
  return Object.hasOwn(editorMethods, method);
}
