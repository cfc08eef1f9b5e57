import { randomUUID } from 'node:crypto';
import type { ApprovalRule, AutoApproval } from '../shared/approvals.ts';
import type { Image, ModelReference } from '../shared/events.ts';
import { builtInModes, DEFAULT_MODE, type ModeConfig } from '../shared/modes.ts';
import type { FoundService, NotificationName, NotificationParams } from '../shared/protocol.ts';
import type { EditorSettings, Profile } from '../shared/settings.ts';
import { message, type Message } from '../shared/strings.ts';
import { Dispatcher, ProtocolError, type Handlers } from './Dispatcher.ts';
import type { Host } from './host/Host.ts';
import type { Logger } from './Logger.ts';
import { Profiles, type ProfilesOptions } from './Profiles.ts';
import { SettingsStore } from './SettingsStore.ts';
import { exportTask } from './task/exportTask.ts';
import { lastPage } from './task/journalPages.ts';
import { Task } from './task/Task.ts';
import { runTurn } from './task/runTurn.ts';
import { summaryOf } from './task/taskState.ts';
import { turnOptions } from './task/turnOptions.ts';
import { TaskStore } from './TaskStore.ts';
import type { Provider } from './provider/Provider.ts';

export interface AgentOptions {
  host: Host;
  /** LATHE_HOME: an absolute folder that exists and can be written. */
  home: string;
  createProvider: (profile: Profile, key: string | undefined) => Promise<Provider>;
  findServices: () => Promise<FoundService[]>;
  editorSettings: () => EditorSettings;
  /** The workspace root that is open now; absolute. */
  cwd: () => string | undefined;
  /** All folders that are open, where there can be several: their tasks go on whichever is in front. Absolute. */
  folders?: () => readonly string[];
  /** Before a workspace is trusted nothing starts and nothing is sent. */
  trusted: () => boolean;
  /** Whether a person is there to answer what asks. */
  attended: boolean;
  logger: Logger;
  /** A profile from the environment, above the stored ones. */
  fixedProfile?: ProfilesOptions['fixed'];
  /** What this run makes automatic beyond the person's stored policy: the command line's --approve. */
  automatic?: AutoApproval;
}

type Listener = <N extends NotificationName>(name: N, params: NotificationParams<N>) => void;

/** Owns the tasks, and answers the protocol's methods for every front end. */
export class Agent {
  readonly dispatcher: Dispatcher;
  readonly #options: AgentOptions;
  readonly #store: TaskStore;
  readonly #settings: SettingsStore;
  readonly #profiles: Profiles;
  readonly #tasks = new Map<string, Promise<Task>>();
  readonly #listeners = new Set<Listener>();

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#store = new TaskStore(options.home, options.logger);
    this.#settings = new SettingsStore(options.home, options.logger);
    this.#profiles = new Profiles({
      settings: this.#settings,
      secrets: options.host.secrets,
      createProvider: options.createProvider,
      ...(options.fixedProfile ? { fixed: options.fixedProfile } : {}),
    });
    this.dispatcher = new Dispatcher(this.handlers, options.logger);
  }

  /** Notifications for every front end; each passes on what its client subscribed to. Returns how to stop. */
  onNotification(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops every turn and waits until it is written down. */
  async dispose(): Promise<void> {
    const tasks = await Promise.allSettled([...this.#tasks.values()]);
    const opened = tasks.flatMap((task) => (task.status === 'fulfilled' ? [task.value] : []));
    for (const task of opened) task.forget();
    await Promise.all(opened.map((task) => task.cancel()));
  }

  readonly handlers: Handlers = {
    'task/create': async ({ text, images, taskId, cwd, mode, profile }) => {
      this.#requireTrust();
      const task = await this.#create({ taskId, cwd, mode, profile });
      task.send(text, images);
      return { taskId: task.id };
    },
    'task/send': async ({ taskId, text, images }) => {
      await this.#send(taskId, text, images);
      return {};
    },
    'task/subscribe': async ({ taskId, since, bytes }) => {
      const task = await this.#task(taskId);
      const writer = await task.writer();
      if (!writer) this.#askAgain(task);
      const entries = task.entries.filter(({ seq }) => seq > since);
      const page = bytes === undefined ? undefined : lastPage(task.entries, bytes);
      const cut = page !== undefined && page.base.lastSeq > since;
      return {
        ...(cut ? { base: page.base } : {}),
        entries: cut ? page.entries.slice() : entries,
        running: task.running,
        queued: task.queued.map((queued) => queued.text),
        ...(writer ? { elsewhere: { pid: writer.pid, host: writer.host } } : {}),
      };
    },
    'task/page': async ({ taskId, before, bytes }) => {
      const task = await this.#task(taskId);
      const { base, entries } = lastPage(
        task.entries.filter(({ seq }) => seq < before),
        bytes,
      );
      return { base, entries: entries.slice() };
    },
    // Subscriptions are kept by each front end's connection; here there is nothing to forget.
    'task/unsubscribe': () => Promise.resolve({}),
    'task/cancel': async ({ taskId }) => {
      await (await this.#free(taskId)).cancel();
      return {};
    },
    'task/resume': async ({ taskId }) => {
      const task = await this.#runnable(taskId);
      task.start();
      return {};
    },
    'task/list': async ({ cwd }) => {
      const stored = await this.#store.list();
      const live = await Promise.all([...this.#tasks.values()]);
      const activity = new Map<string, 'running' | 'waiting' | undefined>(
        live.map((task) => [
          task.id,
          task.running ? (task.state.pending.size > 0 ? 'waiting' : 'running') : undefined,
        ]),
      );
      const states = new Map(live.map((task) => [task.id, summaryOf(task.state, activity.get(task.id))]));
      const summaries = stored.map((summary) =>
        activity.get(summary.id) ? (states.get(summary.id) ?? summary) : summary,
      );
      return cwd === undefined ? summaries : summaries.filter((summary) => summary.cwd === cwd);
    },
    'task/search': async ({ query, limit }) => await this.#store.search(query, limit),
    'task/rename': async ({ taskId, title }) => {
      const task = await this.#free(taskId);
      if (task.state.title !== title) await task.record({ type: 'title_changed', title });
      return {};
    },
    'task/export': async ({ taskId, format }) => exportTask((await this.#task(taskId)).entries, format),
    'task/branch': async ({ taskId, seq, text, images }) => {
      const branch = await this.#branch(await this.#runnable(taskId), seq);
      branch.send(text, images);
      return { taskId: branch.id };
    },
    'task/unqueue': async ({ taskId, index, text }) => {
      const taken = (await this.#task(taskId)).unqueue(index, text);
      if (!taken) throw new ProtocolError('not_found', message('error.notQueued'));
      return taken;
    },
    'task/delete': async ({ taskId }) => {
      const task = await this.#task(taskId);
      if (task.running) throw new ProtocolError('busy', message('error.taskRunning'));
      await this.#free(taskId);
      task.forget();
      this.#tasks.delete(taskId);
      await this.#store.moveToTrash(taskId);
      this.#notify('task/listChanged', {});
      return {};
    },
    'task/restore': async ({ taskId }) => {
      if (!(await this.#store.restore(taskId)))
        throw new ProtocolError('not_found', message('error.unknownTask', { taskId }));
      this.#notify('task/listChanged', {});
      return {};
    },
    'approval/respond': async ({ taskId, approvalId, decision }) => {
      const task = await this.#task(taskId);
      const accepted = task.respond(approvalId, decision);
      if (!accepted) await this.#free(taskId);
      return { accepted };
    },
    'command/stop': async ({ taskId, callId }) => {
      if (!(await this.#task(taskId)).calls.stop(callId))
        throw new ProtocolError('not_found', message('error.notRunning'));
      return {};
    },
    'command/background': async ({ taskId, callId }) => {
      if (!(await this.#task(taskId)).calls.toBackground(callId))
        throw new ProtocolError('not_found', message('error.notRunning'));
      return {};
    },
    'mode/list': () => Promise.resolve([...this.#modes()]),
    'mode/set': async ({ taskId, mode }) => {
      if (!this.#modes().some(({ slug }) => slug === mode))
        throw new ProtocolError('not_found', message('error.unknownMode', { mode }));
      const task = taskId === undefined ? undefined : await this.#free(taskId);
      await this.#settings.change((settings) => ({ ...settings, mode }));
      if (task && task.state.mode !== mode) await task.record({ type: 'mode_changed', mode, by: 'person' });
      this.#notify('mode/changed', { mode });
      return {};
    },
    'profile/list': async () => await this.#profiles.list(),
    'profile/save': async ({ profile, key }) => {
      await this.#profiles.save(profile, key);
      await this.#profilesChanged();
      return {};
    },
    'profile/delete': async ({ name }) => {
      await this.#profiles.delete(name);
      await this.#profilesChanged();
      return {};
    },
    'profile/select': async ({ taskId, name }) => {
      const task = taskId === undefined ? undefined : await this.#free(taskId);
      await this.#profiles.select(name);
      if (task) {
        const { reference } = await this.#profiles.model(name);
        await task.record({ type: 'model_changed', model: reference });
      }
      await this.#profilesChanged();
      return {};
    },
    'profile/test': async ({ profile, key }) => {
      this.#requireTrust();
      return await testProvider(await this.#profiles.unsaved(profile, key), profile.model);
    },
    'service/find': async () => (this.#options.trusted() ? await this.#options.findServices() : []),
    'approval/policy': async () => (await this.#settings.read()).approval,
    'approval/setAutomatic': async (changes) => {
      const { approval } = await this.#settings.change((settings) => ({
        ...settings,
        approval: { ...settings.approval, auto: { ...settings.approval.auto, ...changes } },
      }));
      this.#notify('policy/changed', { policy: approval });
      return approval;
    },
    'approval/revoke': async ({ rule }) => {
      const same = (other: ApprovalRule): boolean => JSON.stringify(other) === JSON.stringify(rule);
      const { approval } = await this.#settings.change((settings) => ({
        ...settings,
        approval: {
          ...settings.approval,
          allow: settings.approval.allow.filter((other) => !same(other)),
          deny: settings.approval.deny.filter((other) => !same(other)),
        },
      }));
      this.#notify('policy/changed', { policy: approval });
      return approval;
    },
  };

  async #create(wanted: { taskId?: string; cwd?: string; mode?: string; profile?: string }): Promise<Task> {
    const cwd = wanted.cwd ?? this.#options.cwd();
    if (cwd === undefined) throw new ProtocolError('unavailable', message('error.noWorkspace'));
    const { mode } = await this.#settings.read();
    const slug = wanted.mode ?? (this.#modes().some((known) => known.slug === mode) ? mode : DEFAULT_MODE);
    if (!this.#modes().some((known) => known.slug === slug))
      throw new ProtocolError('not_found', message('error.unknownMode', { mode: slug }));
    // Before anything is written: without a model there is no task.
    const model: ModelReference = (await this.#profiles.model(wanted.profile)).reference;
    const taskId = wanted.taskId ?? randomUUID();
    if (await this.#store.has(taskId))
      throw new ProtocolError('busy', message('error.taskExists', { taskId }));
    const created = Task.create(this.#taskOptions(taskId), {
      type: 'task_started',
      version: 1,
      taskId,
      cwd,
      mode: slug,
      model,
    });
    this.#keep(taskId, created);
    return await created;
  }

  /** A task of its own with the history of another before the person's message `seq`. */
  async #branch(task: Task, seq: number): Promise<Task> {
    const [first, ...history] = task.entries.filter((entry) => entry.seq < seq);
    const replaced = task.entries.find((entry) => entry.seq === seq);
    if (first?.type !== 'task_started' || replaced?.type !== 'user_message' || replaced.automatic === true)
      throw new ProtocolError('not_found', message('error.unknownMessage'));
    const { type, version, cwd, mode, model } = first;
    const taskId = randomUUID();
    const created = Task.create(
      this.#taskOptions(taskId),
      {
        ...{ type, version, taskId, cwd, mode, branchOf: { taskId: task.id, seq } },
        ...(model === undefined ? {} : { model }),
      },
      history,
    );
    this.#keep(taskId, created);
    return await created;
  }

  async #send(taskId: string, text: string, images: Image[] | undefined): Promise<void> {
    const task = await this.#runnable(taskId);
    task.send(text, images);
  }

  /** A task that may run here and now. */
  async #runnable(taskId: string): Promise<Task> {
    this.#requireTrust();
    const task = await this.#task(taskId);
    if (!this.#isOpen(task.state.cwd))
      throw new ProtocolError('unavailable', message('error.otherWorkspace', { folder: task.state.cwd }));
    return task;
  }

  /** A task that no other process writes. @throws ProtocolError `busy`, with where it runs */
  async #free(taskId: string): Promise<Task> {
    const task = await this.#task(taskId);
    const writer = await task.writer();
    if (writer) {
      const { pid, host } = writer;
      throw new ProtocolError('busy', message('error.taskOpenElsewhere', { pid, host }));
    }
    return task;
  }

  async #task(taskId: string): Promise<Task> {
    const known = this.#tasks.get(taskId);
    if (known) return await known;
    if (!(await this.#store.has(taskId)))
      throw new ProtocolError('not_found', message('error.unknownTask', { taskId }));
    const opened = Task.open(this.#taskOptions(taskId));
    this.#keep(taskId, opened);
    return await opened;
  }

  /** One Task object a task: everyone who asks gets the same. */
  #keep(taskId: string, opening: Promise<Task>): void {
    const kept = opening.then((task) => {
      task.subscribe((event) => {
        this.#notify('task/events', { taskId, events: [event] });
        if (event.kind === 'entry' && changesList(event.entry.type)) this.#notify('task/listChanged', {});
      });
      task.onQueueChanged((queued) =>
        this.#notify('task/queue', { taskId, queued: queued.map(({ text }) => text) }),
      );
      task.onWriterChanged((writer) =>
        this.#notify('task/elsewhere', {
          taskId,
          ...(writer ? { writer: { pid: writer.pid, host: writer.host } } : {}),
        }),
      );
      return task;
    });
    this.#tasks.set(taskId, kept);
    // One that cannot be opened is tried anew the next time; the caller hears why.
    kept.catch(() => this.#tasks.delete(taskId));
  }

  #taskOptions(taskId: string): Parameters<typeof Task.open>[0] {
    const { logger, host, attended, editorSettings, automatic, home } = this.#options;
    return {
      folder: this.#store.folder(taskId),
      logger,
      runTurn: async (task, signal) => {
        const options = await turnOptions(task, {
          host,
          home,
          folder: this.#store.folder(taskId),
          logger,
          trusted: this.#options.trusted,
          attended,
          automatic,
          editorSettings,
          modes: () => this.#modes(),
          model: async () => await this.#profiles.model(task.state.model?.profile),
          policy: async () => (await this.#settings.read()).approval,
          keepRule: async (list, rule) => await this.#keepRule(list, rule),
        });
        await runTurn(task, signal, options);
      },
    };
  }

  async #keepRule(list: 'allow' | 'deny', rule: ApprovalRule): Promise<void> {
    const { approval } = await this.#settings.change((settings) => ({
      ...settings,
      approval: { ...settings.approval, [list]: [...settings.approval[list], rule] },
    }));
    this.#notify('policy/changed', { policy: approval });
  }

  /** A request that waited when its process ended is asked again, so that it is pending over a reload. Costs no model request. */
  #askAgain(task: Task): void {
    const { pending, finished, cwd } = task.state;
    if (task.running || finished !== undefined || !this.#options.attended) return;
    if (!this.#options.trusted() || !this.#isOpen(cwd)) return;
    const waiting = [...pending.values()];
    if (waiting.some(({ reason }) => reason === 'tool' || reason === 'question')) task.start();
  }

  #isOpen(folder: string): boolean {
    const { cwd, folders } = this.#options;
    return folders ? folders().includes(folder) : cwd() === folder;
  }

  #modes(): readonly ModeConfig[] {
    return builtInModes;
  }

  #requireTrust(): void {
    if (!this.#options.trusted()) throw new ProtocolError('not_trusted', message('error.notTrusted'));
  }

  async #profilesChanged(): Promise<void> {
    const { active } = await this.#profiles.list();
    this.#notify('profile/changed', active === undefined ? {} : { active });
  }

  #notify<N extends NotificationName>(name: N, params: NotificationParams<N>): void {
    for (const listener of this.#listeners) listener(name, params);
  }
}

function changesList(type: string): boolean {
  return [
    'task_started',
    'user_message',
    'task_finished',
    'title_changed',
    'approval_requested',
    'approval_resolved',
  ].includes(type);
}

/** The smallest request that proves key, address and model. */
async function testProvider(provider: Provider, model: string): Promise<{ ok: boolean; error?: Message }> {
  const request = {
    model,
    system: 'Answer with the single word: ready',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'ready?' }] }],
    maxOutputTokens: 32,
  };
  for await (const event of provider.stream(request, AbortSignal.timeout(30_000))) {
    if (event.type === 'end') return event.error ? { ok: false, error: event.error.message } : { ok: true };
  }
  return { ok: false, error: message('error.internal', { reason: 'the stream gave no end' }) };
}
