import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import type {
  ChatDatabase,
  ChatMessage,
  ChatRequest,
  ChatSession as SessionRow,
  MessageRow,
  SessionRows,
} from '../../shared/chat.ts';
import type { JournalEntry } from '../../shared/events.ts';
import type { NotificationName, NotificationParams, TaskSummary } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';
import { attachmentsOf } from './attachments.ts';
import { ChatFold } from './ChatFold.ts';
import { ChatRecords } from './ChatRecords.ts';
import { ChatSession } from './ChatSession.ts';
import { Exchange, type ExchangeEnd } from './Exchange.ts';
import { messagesOf } from './messagesOf.ts';
import type { ServedAgent } from './ServedAgent.ts';

export interface ChatSessionsOptions {
  agent: ServedAgent;
  database: ChatDatabase;
  logger: Logger;
  /** The mode of new sessions; the one that was used last without it. */
  mode: string | undefined;
  limits: {
    /** Sessions whose state is kept for clients at one time; of those that nobody needs the oldest go. */
    sessions: number;
    /** Messages of one session that wait for their turn. */
    queue: number;
  };
}

/** Every entry of a journal, however long. */
const WHOLE = { before: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };

/** The sessions of the server: tasks as the chat's clients know them. */
export class ChatSessions {
  readonly #options: ChatSessionsOptions;
  readonly #records: ChatRecords;
  readonly #open = new Map<string, Promise<ChatSession>>();
  /** Those whose history is being read, and those that were opened: who gets events as they come. */
  readonly #feeds = new Map<string, ChatSession>();
  /** The last message into a session: the next one waits until it was given to the task. */
  readonly #sending = new Map<string, Promise<unknown>>();
  readonly #stopListening: () => void;

  constructor(options: ChatSessionsOptions) {
    this.#options = options;
    this.#records = new ChatRecords(options.database, options.logger);
    this.#stopListening = options.agent.onNotification((name, params) => this.#hear(name, params));
  }

  /** How many sessions are kept open. */
  get size(): number {
    return this.#open.size;
  }

  /** How many messages of a session wait for their turn. */
  queued(sessionId: string): number {
    return this.#feeds.get(sessionId)?.queued ?? 0;
  }

  /** Whether somebody waits for what happens in the session. */
  isFollowed(sessionId: string): boolean {
    return this.#feeds.get(sessionId)?.idle === false;
  }

  /** Resolves when what was to be written is. Hears nothing any more. */
  async dispose(): Promise<void> {
    this.#stopListening();
    await this.#records.settled();
  }

  /**
   * Gives a message to its session, which is made when there is none, and resolves when it is in the journal.
   * @throws ProtocolError, NotTakenError
   */
  async send(request: ChatRequest): Promise<Exchange> {
    const before = this.#sending.get(request.session_id) ?? Promise.resolve();
    const given = before.then(() => this.#give(request));
    const settled = given.catch(() => undefined);
    this.#sending.set(request.session_id, settled);
    try {
      return await (
        await given
      ).exchange;
    } finally {
      if (this.#sending.get(request.session_id) === settled) this.#sending.delete(request.session_id);
    }
  }

  /** @throws ProtocolError `not_found` */
  async get(sessionId: string): Promise<ChatSession> {
    const known = this.#open.get(sessionId);
    if (known) return await known;
    const session = this.#feed(sessionId);
    return await this.#opening(session, () => this.#history(sessionId));
  }

  /** A session that may not have begun yet. */
  async watch(sessionId: string): Promise<ChatSession> {
    if (await this.#exists(sessionId)) return await this.get(sessionId);
    this.#letGo();
    return this.#feed(sessionId);
  }

  /**
   * A message of the session and its answer, as far as it came; without a number the last message. Undefined for a number that no
   * message has. @throws ProtocolError `not_found`
   */
  async exchange(sessionId: string, id: number | undefined): Promise<Exchange | undefined> {
    const { exchange: last } = await this.get(sessionId);
    if (!last || (id !== undefined && id !== last.id)) {
      const rows = await this.#rows(sessionId);
      const question = rows.messages.find((row) => row.id === id && row.role === 'user');
      return question && pastExchange(question, rows);
    }
    if (last.end || (await this.#summary(sessionId)).state !== 'interrupted') return last;
    if (await this.#options.agent.goesOn?.(sessionId)) return last;
    const cut = pastExchange({ id: last.id, content: last.question }, await this.#rows(sessionId), {
      type: 'error',
      message: message('server.interrupted'),
    });
    return cut;
  }

  async list(): Promise<SessionRow[]> {
    const tasks = await this.#options.agent.dispatcher.call('task/list', {});
    return tasks
      .filter(({ parent }) => parent === undefined)
      .map(({ id, title, mode, state, createdAt, updatedAt }) => ({
        ...{ id, title, mode, status: state },
        created_at: new Date(createdAt).toISOString(),
        updated_at: new Date(updatedAt).toISOString(),
      }));
  }

  /** The messages of a session with their calls, oldest first. @throws ProtocolError `not_found` */
  async messages(sessionId: string): Promise<ChatMessage[]> {
    const rows = await this.#rows(sessionId);
    const running = ['running', 'waiting'].includes((await this.#summary(sessionId)).state);
    const spawned = rows.spawnedTasks.map(async ({ taskId }) => await this.#summary(taskId).catch(ifGone));
    return messagesOf(
      rows,
      running,
      (await Promise.all(spawned)).flatMap((task) => task ?? []),
    );
  }

  /** Makes every row again from the journals. Resolves with how many sessions there are. */
  async rebuild(): Promise<number> {
    await this.#options.database.clear();
    const tasks = await this.#options.agent.dispatcher.call('task/list', {});
    for (const { id } of tasks) {
      await this.#rows(id);
    }
    return tasks.length;
  }

  async #give({
    session_id,
    message: text,
    attachments,
  }: ChatRequest): Promise<{ exchange: Promise<Exchange> }> {
    const { agent, mode } = this.#options;
    const { dispatcher } = agent;
    const more = attachmentsOf(attachments ?? []);
    const known = await this.#exists(session_id);
    const session = known ? await this.get(session_id) : this.#feed(session_id);
    const { limits } = this.#options;
    if (session.queued >= limits.queue)
      throw new ProtocolError('busy', message('server.queueFull', { count: limits.queue }));
    const { exchange, forget } = session.expect(text);
    // Whoever asked is told by `exchange`; one who no longer waits is not.
    exchange.catch(() => undefined);
    try {
      if (known) await dispatcher.call('task/send', { taskId: session_id, text, ...more });
      else
        await this.#opening(session, async () => {
          await dispatcher.call('task/create', {
            taskId: session_id,
            text,
            ...more,
            ...(mode === undefined ? {} : { mode }),
          });
          return await this.#history(session_id);
        });
    } catch (error) {
      forget();
      throw error;
    }
    // In an object: awaiting it is not awaiting the exchange.
    return { exchange };
  }

  async #exists(sessionId: string): Promise<boolean> {
    if (this.#open.has(sessionId)) return true;
    try {
      await this.#history(sessionId);
      return true;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === 'not_found') return false;
      throw error;
    }
  }

  #feed(sessionId: string): ChatSession {
    const known = this.#feeds.get(sessionId);
    if (known) return known;
    const session = new ChatSession(sessionId, (changes) => this.#records.add(changes));
    this.#feeds.set(sessionId, session);
    return session;
  }

  async #opening(
    session: ChatSession,
    history: () => Promise<readonly JournalEntry[]>,
  ): Promise<ChatSession> {
    session.hold();
    const opening = (async () => {
      const entries = await history();
      session.open(entries.map((entry) => ({ kind: 'entry', entry })));
      return session;
    })();
    this.#open.set(session.id, opening);
    try {
      await opening;
      this.#letGo();
      return session;
    } catch (error) {
      this.#open.delete(session.id);
      // Who watches it hears of it when it begins after all.
      if (session.idle) this.#feeds.delete(session.id);
      throw error;
    }
  }

  async #summary(taskId: string): Promise<TaskSummary> {
    return await this.#options.agent.dispatcher.call('task/get', { taskId });
  }

  async #history(sessionId: string): Promise<readonly JournalEntry[]> {
    return (await this.#options.agent.dispatcher.call('task/page', { taskId: sessionId, ...WHOLE })).entries;
  }

  /** Rows that are as new as the journal. */
  async #rows(sessionId: string): Promise<SessionRows> {
    const entries = await this.#history(sessionId);
    const rows = await this.#records.read(sessionId);
    const fold = new ChatFold(sessionId);
    for (const entry of entries) fold.take(entry);
    const changes = fold.takeChanges();
    // Entries after the last that was written may have changed nothing in the rows.
    const behind = this.#records.isBehind(sessionId);
    if (rows && !behind && (changes === undefined || rows.lastSeq >= lastChange(entries))) return rows;
    const empty = { sessionId, lastSeq: fold.lastSeq, messages: [], toolConversations: [], spawnedTasks: [] };
    this.#records.addAll(changes ?? empty);
    const made = await this.#records.read(sessionId);
    if (made) return made;
    throw new ProtocolError(
      'internal',
      message('error.internal', { reason: 'the database cannot be written' }),
    );
  }

  #hear(name: NotificationName, params: unknown): void {
    if (name !== 'task/events') return;
    const { taskId, parent, events } = params as NotificationParams<'task/events'>;
    const session = this.#feed(taskId);
    if (parent !== undefined) session.parent ??= this.#feed(parent);
    for (const event of events) session.take(event);
    // A task that another client began or goes on with: its rows are kept up as well. Of one that only goes on elsewhere no event comes
    // with the news of it.
    if (!this.#open.has(taskId) || events.length === 0)
      this.#opening(session, () => this.#history(taskId)).catch((error: unknown) =>
        this.#options.logger.error(`the session ${taskId} is not followed`, error),
      );
  }

  /** Forgets the oldest sessions that nobody needs. */
  #letGo(): void {
    for (const [id, session] of this.#feeds) {
      if (this.#feeds.size <= this.#options.limits.sessions) return;
      if (!session.idle) continue;
      this.#feeds.delete(id);
      this.#open.delete(id);
    }
  }
}

/** A subtask that was deleted since has no state. */
function ifGone(error: unknown): undefined {
  if (!(error instanceof ProtocolError && error.code === 'not_found')) throw error;
  return undefined;
}

/** An exchange that nothing is added to any more. */
function pastExchange(
  question: Pick<MessageRow, 'id' | 'content'>,
  { messages }: SessionRows,
  end: ExchangeEnd = { type: 'done' },
): Exchange {
  const exchange = new Exchange(question.id, question.content);
  const answer = messages.find(({ answers }) => answers === question.id);
  if (answer) {
    exchange.answeredBy(answer.id);
    exchange.said('', answer.content);
  }
  exchange.finish(end);
  return exchange;
}

/** The last entry from which rows follow. */
function lastChange(entries: readonly JournalEntry[]): number {
  const changing = new Set<JournalEntry['type']>([
    ...(['user_message', 'assistant_message', 'tool_started', 'tool_finished'] as const),
    ...(['subtask_started', 'task_finished'] as const),
  ]);
  return (
    entries.findLast(
      (entry) => changing.has(entry.type) && !('automatic' in entry && entry.automatic === true),
    )?.seq ?? 0
  );
}
