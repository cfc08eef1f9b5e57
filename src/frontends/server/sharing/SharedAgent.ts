import { randomUUID } from 'node:crypto';
import type { Agent } from '../../../core/Agent.ts';
import { Dispatcher, ProtocolError, type Handlers } from '../../../core/Dispatcher.ts';
import type { Logger } from '../../../core/Logger.ts';
import {
  methods,
  notifications,
  type MethodName,
  type NotificationName,
  type NotificationParams,
} from '../../../shared/protocol.ts';
import type { Bulletin, SharedAnswer } from '../../../shared/sharing.ts';
import { message } from '../../../shared/strings.ts';
import type { Presence } from '../Presence.ts';
import type { ServedAgent } from '../ServedAgent.ts';
import type { Bus, SharedPresence, TurnQueue, TurnServers } from './Sharing.ts';
import { TaskFollower } from './TaskFollower.ts';
import { TaskTeller } from './TaskTeller.ts';
import { TurnRunner } from './TurnRunner.ts';

/** Milliseconds that a server has to answer a call for another one. Stopping a turn waits for its end. */
const ANSWER_WITHIN = 60_000;
/** Milliseconds between two looks who is at the servers that are still there. */
const LOOK_WHO_IS_THERE = 5000;

export interface SharedAgentOptions {
  serverId: string;
  /** Of this process. Its leases are those of all servers. */
  agent: Agent;
  presence: Presence;
  bus: Bus;
  turns: TurnQueue;
  servers: TurnServers;
  shared: SharedPresence;
  logger: Logger;
}

/** Calls that begin a turn: whichever server takes the turn answers them. */
const beginning = new Set<MethodName>(['task/create', 'task/send', 'task/resume', 'task/condense']);
/** Calls for the server that runs the task, when one does. */
const running = new Set<MethodName>([
  ...(['task/cancel', 'task/unqueue', 'task/rename', 'task/delete'] as const),
  ...(['approval/respond', 'approval/proposal'] as const),
  ...(['command/stop', 'command/background', 'mode/set', 'profile/select'] as const),
]);
/** Calls that tell of the journal as it is now. */
const reading = new Set<MethodName>([
  'task/page',
  'task/subscribe',
  'task/export',
  'task/branch',
  'task/get',
]);
/** Notifications that each server makes for itself, of its own servers of tools and of who writes. */
const own = new Set<NotificationName>(['task/events', 'task/elsewhere', 'mcp/changed']);

type Listener = Parameters<Agent['onNotification']>[0];

/**
 * The agent of this process as one of several that share a workspace and a data folder: what begins a turn goes to whichever server
 * takes it, what is for a running turn goes to the one that runs it, and what happens there is heard here.
 */
export class SharedAgent implements ServedAgent {
  readonly dispatcher: Dispatcher;
  readonly #options: SharedAgentOptions;
  readonly #listeners = new Set<Listener>();
  readonly #teller: TaskTeller;
  readonly #follower: TaskFollower;
  readonly #runner: TurnRunner;
  /** Calls of ours that other servers are to answer, or this one when it takes the turn. */
  readonly #asked = new Map<string, (answer: SharedAnswer) => void>();
  /** What clients here follow without being there to answer. */
  #isFollowed: (taskId: string) => boolean = () => false;
  /** Resolves when other servers can know who is here. */
  #telling: Promise<void> = Promise.resolve();
  readonly #stopListening: () => void;
  readonly #looking: NodeJS.Timeout;

  constructor(options: SharedAgentOptions) {
    this.#options = options;
    const { agent, bus, presence, turns, logger } = options;
    this.#teller = new TaskTeller((bulletin) => bus.publish(bulletin));
    this.#follower = new TaskFollower({
      agent,
      isWanted: (taskId) => presence.isWatchedHere(taskId) || this.#isFollowed(taskId),
      tell: (taskId, parent, events) =>
        this.#notify('task/events', { taskId, ...(parent === undefined ? {} : { parent }), events }),
      publish: (bulletin) => bus.publish(bulletin),
    });
    this.#runner = new TurnRunner({
      ...{ agent, turns },
      before: async () => await this.lookWhoIsThere(),
      answer: (caller, id, answer) => this.#answered(caller, id, answer),
    });
    const handlers: Record<string, (params: Record<string, unknown>) => Promise<unknown>> = {};
    for (const method of Object.keys(methods) as MethodName[])
      handlers[method] = async (params) => await this.#call(method, params);
    this.dispatcher = new Dispatcher(handlers as unknown as Handlers, logger);
    this.#stopListening = agent.onNotification((name, params) => this.#hearOwn(name, params));
    bus.onBulletin(async (from, bulletin) => await this.#hear(from, bulletin as Bulletin));
    presence.onChange((sessionId, present) => {
      // In their order: who came and left has left.
      this.#telling = this.#telling.then(async () => await this.#tellWhoIsThere(sessionId, present));
    });
    this.#looking = setInterval(() => {
      this.lookWhoIsThere().catch((error: unknown) =>
        logger.error('who is at other servers is not known', error),
      );
    }, LOOK_WHO_IS_THERE).unref();
  }

  readonly onNotification: Agent['onNotification'] = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** For the queue. */
  readonly run = async (taskId: string, tries: number): Promise<void> =>
    await this.#runner.run(taskId, tries);

  /** Whether the turn, which was broken off, will be gone on with by itself. */
  async goesOn(taskId: string): Promise<boolean> {
    return await this.#options.turns.has(taskId);
  }

  followAlso(isFollowed: (taskId: string) => boolean): void {
    this.#isFollowed = isFollowed;
  }

  async presenceTold(): Promise<void> {
    await this.#telling;
  }

  /** Something may not have been heard: reads on in all tasks. */
  async lookAround(): Promise<void> {
    await this.lookWhoIsThere();
    await this.#options.agent.catchUpAll();
    this.#options.turns.look();
    this.#runner.wakeAll();
  }

  async lookWhoIsThere(): Promise<void> {
    this.#options.presence.setElsewhere(await this.#options.shared.elsewhere());
  }

  /** Tells nothing any more, and forgets no call: turns that are broken off are for other servers. Before the agent ends. */
  stop(): void {
    clearInterval(this.#looking);
    this.#runner.stop();
  }

  /** When the agent has ended. */
  dispose(): void {
    this.#stopListening();
    this.#teller.flush();
  }

  async #call(method: MethodName, params: Record<string, unknown>): Promise<unknown> {
    const taskId = typeof params.taskId === 'string' ? params.taskId : undefined;
    if (beginning.has(method)) return await this.#begin(method, taskId ?? randomUUID(), params);
    if (taskId === undefined) return await this.#own(method, params);
    if (running.has(method)) return await this.#toRunning(method, taskId, params);
    if (reading.has(method)) await this.#options.agent.catchUp(taskId);
    const result = await this.#own(method, params);
    // Its turn has begun here; with a job it goes on elsewhere should this server end.
    if (method === 'task/branch') await this.#options.turns.add((result as { taskId: string }).taskId);
    return method === 'task/subscribe' ? withoutElsewhere(result) : result;
  }

  async #own(method: MethodName, params: unknown): Promise<unknown> {
    return await this.#options.agent.dispatcher.call(method, params as never);
  }

  /** Has the task get a turn, with this call. */
  async #begin(method: MethodName, taskId: string, params: Record<string, unknown>): Promise<unknown> {
    const { turns, bus, serverId } = this.#options;
    // Whichever server takes the turn knows who is there for what it asks.
    await this.presenceTold();
    const id = randomUUID();
    const answer = this.#expect(id);
    try {
      await turns.add(taskId, { id, method, params: { ...params, taskId, messageId: id }, caller: serverId });
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
    this.#runner.wake(taskId);
    bus.publish({ type: 'calls', taskId });
    const answered = await answer;
    // Nobody took it: nobody is to take it later, when the client has given up.
    if (!answered) await turns.forget(taskId, [id]);
    return resultOf(answered);
  }

  async #toRunning(method: MethodName, taskId: string, params: Record<string, unknown>): Promise<unknown> {
    const { servers, serverId, turns, agent } = this.#options;
    if (method === 'task/cancel')
      for (const { id, caller } of await turns.forget(taskId)) this.#answered(caller, id, stopped);
    const server = await servers.serverOf(taskId);
    if (server !== undefined && server !== serverId) return await this.#ask(server, method, params);
    if (server === undefined) await agent.catchUp(taskId);
    return await this.#own(method, params);
  }

  async #ask(server: string, method: MethodName, params: unknown): Promise<unknown> {
    const id = randomUUID();
    const answer = this.#expect(id);
    this.#options.bus.publish({ type: 'call', to: server, id, method, params });
    return resultOf(await answer);
  }

  /** Undefined when no answer comes. */
  async #expect(id: string): Promise<SharedAnswer | undefined> {
    try {
      return await new Promise<SharedAnswer | undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN).unref();
        this.#asked.set(id, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
      });
    } finally {
      this.#asked.delete(id);
    }
  }

  #answered(caller: string, id: string, answer: SharedAnswer): void {
    const { serverId, bus } = this.#options;
    if (caller === serverId) this.#asked.get(id)?.(answer);
    else bus.publish({ type: 'answer', to: caller, id, answer });
  }

  #hearOwn(name: NotificationName, params: unknown): void {
    const { agent, bus } = this.#options;
    if (name === 'task/events') {
      const { taskId, parent, events } = params as NotificationParams<'task/events'>;
      for (const event of events) {
        if (event.kind === 'entry') this.#follower.take(taskId, event.entry);
        // What others wrote and was read here is not news to them.
        if (event.kind === 'delta' || agent.writes(taskId)) this.#teller.hear(taskId, parent, event);
      }
    }
    // Here everybody can answer, wherever it runs.
    if (name === 'task/elsewhere') return;
    this.#notify(name, params as never);
    if (!own.has(name)) bus.publish({ type: 'notification', name, params });
  }

  async #hear(from: string, bulletin: Bulletin): Promise<void> {
    const { turns, serverId } = this.#options;
    switch (bulletin.type) {
      case 'events':
        await this.#follower.hear(bulletin);
        break;
      case 'again':
        this.#teller.again(bulletin.taskId);
        break;
      case 'calls':
        this.#runner.wake(bulletin.taskId);
        turns.look();
        break;
      case 'call':
        if (bulletin.to === serverId) void this.#answerFor(from, bulletin);
        break;
      case 'answer':
        if (bulletin.to === serverId) this.#answered(serverId, bulletin.id, bulletin.answer);
        break;
      case 'presence':
        await this.lookWhoIsThere();
        break;
      case 'notification':
        if (isNotification(bulletin.name)) this.#notify(bulletin.name, bulletin.params as never);
    }
  }

  /** Answered beside: stopping a turn takes its time, and other bulletins come meanwhile. */
  async #answerFor(
    caller: string,
    { id, method, params }: Extract<Bulletin, { type: 'call' }>,
  ): Promise<void> {
    const answer = await this.#options.agent.dispatcher.dispatch(method, params);
    this.#answered(caller, id, answer);
  }

  async #tellWhoIsThere(sessionId: string, present: boolean): Promise<void> {
    const { shared, bus, logger } = this.#options;
    try {
      await shared.set(sessionId, present);
      bus.publish({ type: 'presence' });
    } catch (error) {
      logger.error('other servers do not know who is here', error);
    }
  }

  #notify<N extends NotificationName>(name: N, params: NotificationParams<N>): void {
    for (const listener of this.#listeners) listener(name, params);
  }
}

const stopped: SharedAnswer = {
  ok: false,
  error: { code: 'unavailable', message: message('server.stoppedBefore') },
};

/** @throws ProtocolError */
function resultOf(answer: SharedAnswer | undefined): unknown {
  if (!answer) throw new ProtocolError('unavailable', message('server.noServer'));
  if (answer.ok) return answer.result;
  throw new ProtocolError(answer.error.code, answer.error.message);
}

/** A task that another server runs runs, for clients here. */
function withoutElsewhere(result: unknown): unknown {
  const { elsewhere, ...rest } = result as { elsewhere?: unknown; running: boolean };
  return elsewhere === undefined ? rest : { ...rest, running: true };
}

function isNotification(name: string): name is NotificationName {
  return Object.hasOwn(notifications, name);
}
