import type { z } from 'zod';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import { editorMethods, type EditorMethods, type EditorNotifications } from '../../shared/editor.ts';
import { methods, taskIdSchema, type NotificationName } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';
import { clientMessageSchema, type ServerMessage } from '../../shared/wire.ts';
import { EventCoalescer } from './EventCoalescer.ts';

export type EditorHandlers = {
  [M in keyof EditorMethods]: (
    params: z.infer<EditorMethods[M]['params']>,
  ) => Promise<z.infer<EditorMethods[M]['result']>>;
};

export interface WebviewConnectionOptions {
  agent: () => Promise<Agent>;
  editor: EditorHandlers;
  post: (message: ServerMessage) => void;
  logger: Logger;
}

/**
 * One webview's line to the agent. What comes in is checked before anything acts on it; what goes out are answers, and the events of
 * the tasks that this view subscribed to, one batch a frame. Nothing is sent before the view has said `editor/ready`.
 */
export class WebviewConnection {
  readonly #options: WebviewConnectionOptions;
  readonly #subscribed = new Map<string, EventCoalescer>();
  #ready = false;
  #stopListening: (() => void) | undefined;

  constructor(options: WebviewConnectionOptions) {
    this.#options = options;
  }

  /** Takes one message of the webview; never rejects. One that is no request changes nothing and is logged. */
  async receive(raw: unknown): Promise<void> {
    const parsed = clientMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.#options.logger.warn(`a message of the sidebar was dropped: ${parsed.error.message}`);
      return;
    }
    const { id, method, params } = parsed.data;
    try {
      this.#options.post({ type: 'response', id, result: await this.#answer(method, params) });
    } catch (error) {
      const known = error instanceof ProtocolError;
      if (!known) this.#options.logger.error(`request ${method} of the sidebar failed`, error);
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.post({
        type: 'error',
        id,
        error: known ? error.data : { code: 'internal', message: message('error.internal', { reason }) },
      });
    }
  }

  notify<N extends keyof EditorNotifications>(name: N, params: z.infer<EditorNotifications[N]>): void {
    this.#post(name, params);
  }

  dispose(): void {
    this.#stopListening?.();
    for (const coalescer of this.#subscribed.values()) coalescer.dispose();
    this.#subscribed.clear();
  }

  async #answer(method: string, params: unknown): Promise<unknown> {
    if (isEditorMethod(method)) return await this.#editor(method, params);
    const agent = await this.#options.agent();
    this.#stopListening ??= agent.onNotification((name, said) => this.#hear(name, said));
    if (method === 'task/subscribe' || method === 'task/unsubscribe') this.#subscription(method, params);
    const answer = await agent.dispatcher.dispatch(
      method,
      method === 'approval/respond' ? withoutEdits(params) : params,
    );
    if (!answer.ok) throw new ProtocolError(answer.error.code, answer.error.message);
    // What waited from before the snapshot is in it; a client drops what it knows by its number.
    return answer.result;
  }

  async #editor(method: keyof EditorMethods, params: unknown): Promise<unknown> {
    const parsed = editorMethods[method].params.safeParse(params);
    if (!parsed.success)
      throw new ProtocolError(
        'invalid_params',
        message('error.invalidRequest', { method, reason: parsed.error.message }),
      );
    const handler = this.#options.editor[method] as (params: unknown) => Promise<unknown>;
    const result = await handler(parsed.data);
    if (method === 'editor/ready') this.#ready = true;
    return result;
  }

  #subscription(method: 'task/subscribe' | 'task/unsubscribe', params: unknown): void {
    const parsed = methods[method].params.safeParse(params);
    if (!parsed.success) return;
    const { taskId } = parsed.data;
    this.#subscribed.get(taskId)?.dispose();
    if (method === 'task/unsubscribe') this.#subscribed.delete(taskId);
    else
      this.#subscribed.set(
        taskId,
        new EventCoalescer((events) => this.#post('task/events', { taskId, events })),
      );
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

/** The person's version of a diff is read from the diff itself: a webview cannot put words into a file. */
function withoutEdits(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('decision' in params)) return params;
  const { decision } = params;
  if (typeof decision !== 'object' || decision === null) return params;
  return { ...params, decision: { ...decision, edited: undefined, by: 'person' } };
}
