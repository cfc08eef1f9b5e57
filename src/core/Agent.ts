import type { ApprovalRule, AutoApproval } from '../shared/approvals.ts';
import type { FoundService, NotificationName, NotificationParams } from '../shared/protocol.ts';
import type { EditorSettings, Profile } from '../shared/settings.ts';
import { message, type Message } from '../shared/strings.ts';
import { AgentFiles } from './AgentFiles.ts';
import { checkpointHandlers } from './checkpoints/checkpointHandlers.ts';
import { Checkpoints } from './checkpoints/Checkpoints.ts';
import { Dispatcher, ProtocolError, type Handlers } from './Dispatcher.ts';
import type { Host } from './host/Host.ts';
import type { Logger } from './Logger.ts';
import { explainCommand } from './explainCommand.ts';
import { McpServers } from './McpServers.ts';
import { noteHandlers } from './notes/noteHandlers.ts';
import { WorkspaceNotes } from './notes/WorkspaceNotes.ts';
import { Profiles, type ProfilesOptions } from './Profiles.ts';
import { SettingsStore } from './SettingsStore.ts';
import { condenseTask } from './task/condenseTask.ts';
import { TaskLease, type Leases } from './task/TaskLease.ts';
import { runTurn, type TurnOptions } from './task/runTurn.ts';
import type { Task } from './task/Task.ts';
import { turnOptions } from './task/turnOptions.ts';
import { taskHandlers } from './taskHandlers.ts';
import { Tasks } from './Tasks.ts';
import { TaskStore } from './TaskStore.ts';
import { TextWriter } from './TextWriter.ts';
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
  /** Whether files of the workspace may define modes and commands; by default where it is trusted. */
  trustsProject?: () => boolean;
  /** Whether a person is there to answer what asks; a function where that differs from task to task, and from time to time. */
  attended: boolean | ((taskId: string) => boolean);
  /** Text without a call is an answer in every mode, for clients that expect one; else only in modes that change nothing. */
  answersInText?: boolean;
  logger: Logger;
  /** Tasks at rest that stay in memory. */
  keptAtRest?: number;
  /** Who may write a task: one process at a time, by a file beside each journal unless this says otherwise. */
  leases?: Leases;
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
  readonly #tasks: Tasks;
  readonly #agentFiles: AgentFiles;
  readonly #texts: TextWriter;
  readonly #mcp: McpServers;
  readonly #checkpoints: Checkpoints;
  readonly #listeners = new Set<Listener>();

  constructor(options: AgentOptions) {
    this.#options = options;
    const { leases = TaskLease } = options;
    this.#store = new TaskStore(options.home, options.logger, { leases });
    this.#settings = new SettingsStore(options.home, options.logger);
    this.#profiles = new Profiles({
      settings: this.#settings,
      secrets: options.host.secrets,
      createProvider: options.createProvider,
      ...(options.fixedProfile ? { fixed: options.fixedProfile } : {}),
    });
    this.#agentFiles = new AgentFiles({
      trustsProject: options.trusted,
      ...options,
      files: options.host.files,
      settings: this.#settings,
      changed: () => this.#notify('mode/listChanged', {}),
    });
    this.#tasks = new Tasks({
      store: this.#store,
      ...options,
      leases,
      attended: (taskId) => this.#isAttended(taskId),
      runTurn: async (task, signal) => {
        await runTurn(task, signal, await this.#turnOptions(task));
      },
      modes: async (cwd) => await this.#agentFiles.modes.list(cwd),
      condense: async (task, signal) => {
        await condenseTask(task, signal, async () => await this.#turnOptions(task));
      },
      lastMode: async () => (await this.#settings.read()).mode,
      model: async (profile) => (await this.#profiles.model(profile)).reference,
      notify: (name, params) => this.#notify(name, params),
    });
    this.#checkpoints = new Checkpoints({
      home: options.home,
      files: options.host.files,
      budget: () => options.editorSettings().checkpointMegabytes * 1024 * 1024,
    });
    this.#texts = new TextWriter({
      model: async () => await this.#profiles.model(undefined),
      requireTrust: () => this.#tasks.requireTrust(),
    });
    this.#mcp = new McpServers(options.host.mcp, () => this.#notify('mcp/changed', {}));
    this.dispatcher = new Dispatcher(this.#handlers(), options.logger);
  }

  /** Notifications for every front end; each passes on what its client subscribed to. Returns how to stop. */
  onNotification(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes what another process wrote into a task that is open here. Resolves with the number of its last entry. */
  async catchUp(taskId: string): Promise<number | undefined> {
    return await this.#tasks.catchUp(taskId);
  }

  /** The same for every task that is open here. */
  async catchUpAll(): Promise<void> {
    for (const task of await this.#tasks.opened()) await task.catchUp();
  }

  /** Whether this process writes the task now. */
  writes(taskId: string): boolean {
    return this.#tasks.writes(taskId);
  }

  /** Resolves when no turn of the task runs in this process. */
  async idle(taskId: string): Promise<void> {
    await this.#tasks.idle(taskId);
  }

  /** Breaks off every turn, so that it can be gone on with in another process. */
  async dispose(): Promise<void> {
    this.#texts.dispose();
    this.#mcp.dispose();
    this.#agentFiles.dispose();
    await this.#tasks.dispose();
    await this.#checkpoints.dispose();
  }

  #handlers(): Handlers {
    return {
      ...taskHandlers(this.#tasks, this.#store),
      ...checkpointHandlers(this.#tasks, this.#checkpoints, this.#options.host.files),
      ...this.#texts.handlers,
      ...this.#agentFiles.handlers,
      ...this.#mcp.handlers,
      ...noteHandlers(() => {
        const cwd = this.#options.cwd();
        return cwd === undefined ? undefined : this.#notes(cwd);
      }),
      'mode/set': async ({ taskId, mode }) => {
        const task = taskId === undefined ? undefined : await this.#tasks.free(taskId);
        const modes = task
          ? await this.#agentFiles.modes.list(task.state.cwd)
          : await this.#agentFiles.list();
        if (!modes.some(({ slug }) => slug === mode))
          throw new ProtocolError('not_found', message('error.unknownMode', { mode }));
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
        const task = taskId === undefined ? undefined : await this.#tasks.free(taskId);
        await this.#profiles.select(name);
        if (task) {
          const { reference } = await this.#profiles.model(name);
          await task.record({ type: 'model_changed', model: reference });
        }
        await this.#profilesChanged();
        return {};
      },
      'profile/test': async ({ profile, key }) => {
        this.#tasks.requireTrust();
        return await testProvider(await this.#profiles.unsaved(profile, key), profile.model);
      },
      'service/find': async () => (this.#options.trusted() ? await this.#options.findServices() : []),
      'command/explain': async ({ command }) =>
        await explainCommand(command, {
          host: this.#options.host,
          policy: (await this.#settings.read()).approval,
          settings: this.#options.editorSettings(),
          cwd: this.#options.cwd(),
          home: this.#options.home,
        }),
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
  }

  async #turnOptions(task: Task): Promise<TurnOptions> {
    return await turnOptions(task, {
      ...this.#options,
      attended: () => this.#isAttended(task.id),
      folder: this.#store.folder(task.id),
      subtasks: this.#tasks.stack,
      notes: async (cwd) => await this.#notes(cwd),
      checkpoints: this.#checkpoints,
      modes: () => this.#agentFiles.modes.known(task.state.cwd),
      readModes: async () => await this.#agentFiles.modes.list(task.state.cwd),
      commands: this.#agentFiles.commands,
      agentFolders: this.#agentFiles.folders,
      rulesOff: async () => await this.#agentFiles.rulesOff(),
      model: async () => await this.#profiles.model(task.state.model?.profile),
      modelNamed: async (profile) => await this.#profiles.model(profile),
      policy: async () => (await this.#settings.read()).approval,
      keepRule: async (list, rule) => await this.#keepRule(list, rule),
    });
  }

  #isAttended(taskId: string): boolean {
    const { attended } = this.#options;
    return typeof attended === 'function' ? attended(taskId) : attended;
  }

  async #notes(cwd: string): Promise<WorkspaceNotes> {
    const { home, host } = this.#options;
    return await WorkspaceNotes.of(home, cwd, host.files, () => this.#notify('memory/changed', {}));
  }

  async #keepRule(list: 'allow' | 'deny', rule: ApprovalRule): Promise<void> {
    const { approval } = await this.#settings.change((settings) => ({
      ...settings,
      approval: { ...settings.approval, [list]: [...settings.approval[list], rule] },
    }));
    this.#notify('policy/changed', { policy: approval });
  }

  async #profilesChanged(): Promise<void> {
    const { active } = await this.#profiles.list();
    this.#notify('profile/changed', active === undefined ? {} : { active });
  }

  #notify<N extends NotificationName>(name: N, params: NotificationParams<N>): void {
    for (const listener of this.#listeners) listener(name, params);
  }
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
