import * as z from 'zod';
import { editorMethods, editorNotifications } from '../../src/shared/editor.ts';
import type { JournalEntry, TaskEvent } from '../../src/shared/events.ts';
import { journalEntrySchema, taskDeltaSchema } from '../../src/shared/events.ts';
import { methods, notifications, type ProtocolErrorData } from '../../src/shared/protocol.ts';
import { message, type Message } from '../../src/shared/strings.ts';
import { serverMessageSchema, type ClientMessage } from '../../src/shared/wire.ts';
import type { EditorApi } from './editorApi.ts';

const allMethods = { ...methods, ...editorMethods };
type AllMethods = typeof allMethods;
export type MethodName = keyof AllMethods;
type Params<M extends MethodName> = z.input<AllMethods[M]['params']>;
export type Result<M extends MethodName> = z.output<AllMethods[M]['result']>;

const allNotifications = { ...notifications, ...editorNotifications };
type AllNotifications = typeof allNotifications;
export type NotificationName = keyof AllNotifications;
export type NotificationParams<N extends NotificationName> = z.output<AllNotifications[N]>;

/** One notification, its name telling its parameters. */
export type ReceivedNotification = {
  [N in NotificationName]: { name: N; params: NotificationParams<N> };
}[NotificationName];

/** Milliseconds; a person may be asked by the editor while some of these wait. */
const TIMEOUT = 60_000;

/** A request that was refused or that nobody answered. */
export class CallError extends Error {
  readonly code: ProtocolErrorData['code'];
  readonly words: Message;

  constructor({ code, message: words }: ProtocolErrorData) {
    super(words.key);
    this.name = 'CallError';
    this.code = code;
    this.words = words;
  }
}

interface Waiting {
  method: MethodName;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Requests to the agent and the editor, and what they tell unasked. Everything that comes in is checked against the
 * contract; what does not fit it is dropped, and an answer counts once.
 */
export class Transport {
  readonly #api: EditorApi;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(notification: ReceivedNotification) => void>();
  #lastId = 0;

  constructor(api: EditorApi) {
    this.#api = api;
    api.listen((data) => this.#receive(data));
  }

  /** @throws CallError */
  async call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new CallError({ code: 'unavailable', message: message('webview.noAnswer') }));
      }, TIMEOUT);
      this.#waiting.set(id, { method, resolve, reject, timer });
    });
    this.#api.post({ type: 'request', id, method, params } satisfies ClientMessage);
    return (await answer) as Result<M>;
  }

  onNotification(listener: (notification: ReceivedNotification) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #receive(data: unknown): void {
    const parsed = serverMessageSchema.safeParse(data);
    if (!parsed.success) return;
    const incoming = parsed.data;
    if (incoming.type === 'notification') {
      const notification = readNotification(incoming.name, incoming.params);
      if (notification) for (const listener of this.#listeners) listener(notification);
      return;
    }
    const waiting = this.#waiting.get(incoming.id);
    if (!waiting) return;
    this.#waiting.delete(incoming.id);
    clearTimeout(waiting.timer);
    if (incoming.type === 'error') {
      waiting.reject(new CallError(incoming.error));
      return;
    }
    const result = readResult(waiting.method, incoming.result);
    if (result.success) waiting.resolve(result.data);
    else
      waiting.reject(
        new CallError({
          code: 'internal',
          message: message('webview.badAnswer', { method: waiting.method }),
        }),
      );
  }
}

const unread = { entries: z.array(z.unknown()) };
const journals = {
  'task/subscribe': methods['task/subscribe'].result.extend(unread),
  'task/page': methods['task/page'].result.extend(unread),
};
const events = z.object({ taskId: z.string(), events: z.array(z.unknown()) });

/** Entries are read one by one: a kind that this version does not know must not hide the others. */
function readResult(
  method: MethodName,
  result: unknown,
): { success: true; data: unknown } | { success: false } {
  if (method !== 'task/subscribe' && method !== 'task/page')
    return allMethods[method].result.safeParse(result);
  const parsed = journals[method].safeParse(result);
  if (!parsed.success) return { success: false };
  const entries = parsed.data.entries.flatMap((entry) => readEntry(entry) ?? []);
  return { success: true, data: { ...parsed.data, entries } };
}

function readNotification(name: string, params: unknown): ReceivedNotification | undefined {
  if (!Object.hasOwn(allNotifications, name)) return undefined;
  if (name === 'task/events') {
    const parsed = events.safeParse(params);
    if (!parsed.success) return undefined;
    const read = parsed.data.events.flatMap((event) => readEvent(event) ?? []);
    return { name, params: { taskId: parsed.data.taskId, events: read } };
  }
  const parsed = allNotifications[name as NotificationName].safeParse(params);
  return parsed.success ? ({ name, params: parsed.data } as ReceivedNotification) : undefined;
}

const eventShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('entry'), entry: z.unknown() }),
  z.object({ kind: z.literal('delta'), delta: z.unknown() }),
]);

function readEvent(event: unknown): TaskEvent | undefined {
  const shape = eventShape.safeParse(event);
  if (!shape.success) return undefined;
  if (shape.data.kind === 'entry') {
    const entry = readEntry(shape.data.entry);
    return entry && { kind: 'entry', entry };
  }
  const delta = taskDeltaSchema.safeParse(shape.data.delta);
  return delta.success ? { kind: 'delta', delta: delta.data } : undefined;
}

const numbered = z.object({ seq: z.number().int().positive(), at: z.number() });

/** An entry of a kind from a newer version still counts: its number says that nothing is missing. */
function readEntry(entry: unknown): JournalEntry | undefined {
  const known = journalEntrySchema.safeParse(entry);
  if (known.success) return known.data;
  const unknown = numbered.safeParse(entry);
  if (!unknown.success) return undefined;
  return { ...unknown.data, type: 'notice', level: 'info', message: message('webview.newerEntry') };
}
