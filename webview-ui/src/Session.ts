import { message, translate, type StringKey } from '../../src/shared/strings.ts';
import { emptyView } from '../../src/shared/view.ts';
import { AgentFiles } from './AgentFiles.ts';
import { Answers } from './Answers.ts';
import { Drafts } from './Drafts.ts';
import type { EditorApi } from './editorApi.ts';
import { Memory } from './Memory.ts';
import { Messages } from './Messages.ts';
import { Models } from './Models.ts';
import { Notes } from './Notes.ts';
import { Places } from './Places.ts';
import { QueuedMessages } from './QueuedMessages.ts';
import { initialState, type AppState, type Draft, type Editing, type Screen } from './state.ts';
import { Servers } from './Servers.ts';
import { Store } from './Store.ts';
import { Subtasks } from './Subtasks.ts';
import { Tasks } from './Tasks.ts';
import { tellFocus } from './tellFocus.ts';
import { TaskFeed, type FeedUpdate } from './TaskFeed.ts';
import { runCommand } from './runCommand.ts';
import { CallError, Transport, type ReceivedNotification } from './transport.ts';

/** What the sidebar does: every action of a person and every notification ends here, and the store is what is shown. */
export class Session {
  readonly store: Store<AppState>;
  readonly transport: Transport;
  readonly models: Models;
  readonly tasks: Tasks;
  readonly agentFiles: AgentFiles;
  readonly servers: Servers;
  readonly notes: Notes;
  readonly answers: Answers;
  readonly queue: QueuedMessages;
  readonly subtasks: Subtasks;
  readonly messages: Messages;
  readonly places: Places;
  readonly #memory: Memory;
  readonly #drafts: Drafts;
  #feed: TaskFeed | undefined;

  /** Does not wait any longer before trying to reach the agent. */
  readonly reconnect: () => void;

  /** `reconnect` opens the line to the agent again where it can break. */
  constructor(api: EditorApi, reconnect: () => void = () => undefined) {
    this.store = new Store<AppState>({ ...initialState, surface: api.surface });
    this.reconnect = reconnect;
    this.transport = new Transport(api);
    this.models = new Models(this);
    this.tasks = new Tasks(this);
    this.agentFiles = new AgentFiles(this);
    this.servers = new Servers(this);
    this.notes = new Notes(this);
    this.queue = new QueuedMessages(this);
    this.subtasks = new Subtasks(this);
    this.messages = new Messages(this);
    this.#memory = new Memory(api, (kept) =>
      this.attempt(() => this.transport.call('editor/keepDrafts', kept)),
    );
    this.#drafts = new Drafts(this.#memory);
    this.answers = new Answers(this, this.#memory);
    this.places = new Places(this.#memory);
    this.transport.onNotification((notification) => this.#hear(notification));
  }

  /** The handshake, then everything that the first screen needs. */
  async start(): Promise<void> {
    const { locale, trusted, workspace, taskId, kept } = await this.transport.call('editor/ready', {});
    if (kept) this.#memory.adopt(kept);
    this.store.set({
      phase: 'ready',
      connected: true,
      locale,
      trusted,
      workspace,
      draft: this.#drafts.of(taskId),
      mode: this.#drafts.mode ?? this.store.state.mode,
    });
    this.attempt(async () => {
      const { file, lines } = await this.transport.call('editor/surroundings', {});
      this.store.set({ inView: { file, lines } });
    });
    tellFocus((focused) => this.attempt(() => this.transport.call('editor/focused', { focused })));
    // A task that is gone must not keep the rest from being shown.
    if (taskId !== undefined) this.attempt(() => this.open(taskId));
    await Promise.all([
      this.models.refresh(),
      this.tasks.refresh(),
      this.servers.refresh(),
      this.agentFiles.refresh(),
    ]);
    await this.models.findServices();
  }

  /** The line to the agent is there; when it broke before, what was told meanwhile is fetched, from the last entry that is here. */
  async connected(): Promise<void> {
    if (this.store.state.phase === 'connecting') {
      await this.start();
      return;
    }
    await this.transport.call('editor/ready', {});
    const { error } = this.store.state;
    this.store.set({ connected: true, ...(error?.key === 'web.notConnected' ? { error: undefined } : {}) });
    await Promise.all([
      this.#feed?.catchUp(),
      this.subtasks.catchUp(),
      this.models.refresh(),
      this.tasks.refresh(),
      this.servers.refresh(),
      this.agentFiles.refresh(),
    ]);
  }

  /** The line to the agent broke. */
  disconnected(): void {
    this.store.set({ connected: false });
  }

  /** Runs an action of the person; what goes wrong is shown, with the way out. */
  attempt(action: () => Promise<unknown>): void {
    action().catch((error: unknown) => this.fail(error));
  }

  fail(error: unknown): void {
    const words =
      error instanceof CallError
        ? error.words
        : message('webview.failed', { reason: error instanceof Error ? error.message : String(error) });
    this.store.set({ error: words });
  }

  show(screen: Screen): void {
    this.store.set({ screen, cameFrom: this.store.state.screen, error: undefined });
    if (screen === 'history') this.attempt(() => this.tasks.refresh());
    if (screen === 'settings') this.attempt(() => this.models.refresh());
    if (screen === 'mcp') this.attempt(() => this.servers.refresh());
    if (screen === 'chat') this.focusComposer();
  }

  focusComposer(): void {
    this.store.set({ focusRequest: this.store.state.focusRequest + 1 });
  }

  newTask(): void {
    this.attempt(async () => {
      await this.open(undefined);
      this.store.set({ screen: 'chat' });
      this.focusComposer();
    });
  }

  openTask(taskId: string): void {
    this.attempt(async () => {
      this.store.set({ screen: 'chat' });
      await this.open(taskId);
      this.focusComposer();
    });
  }

  write(draft: Draft): void {
    this.#drafts.save(this.store.state.taskId, draft);
    this.store.set({ draft });
  }

  /** Puts words into the composer, after what stands there, for the person to change and send. */
  propose(text: string): void {
    const { draft } = this.store.state;
    this.write({ ...draft, text: draft.text === '' ? text : `${draft.text}\n${text}` });
    this.focusComposer();
  }

  /** Puts a mention behind what stands in the composer, on the same line. */
  addMention(mention: string): void {
    const { draft } = this.store.state;
    const gap = draft.text === '' || /\s$/.test(draft.text) ? '' : ' ';
    this.write({ ...draft, text: `${draft.text}${gap}${mention} ` });
    this.focusComposer();
  }

  /** Fetches what came before the part of the open task that is here. Gives whether anything did. */
  async fetchEarlier(): Promise<boolean> {
    const feed = this.#feed;
    const { before } = this.store.state;
    if (!feed || before === 0) return false;
    this.store.set({ fetching: true });
    try {
      await feed.fetchEarlier();
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.#feed === feed) this.store.set({ fetching: false });
    }
    return this.#feed === feed && this.store.state.before !== before;
  }

  stop(): void {
    const { taskId, queued } = this.store.state;
    if (taskId === undefined) return;
    // Stopping empties the queue; what the person wrote comes back to the composer.
    this.#giveBack(queued);
    this.attempt(() => this.transport.call('task/cancel', { taskId }));
  }

  resume(): void {
    const { taskId } = this.store.state;
    if (taskId !== undefined) this.attempt(() => this.transport.call('task/resume', { taskId }));
  }

  setMode(mode: string): void {
    const { taskId } = this.store.state;
    this.#drafts.keepMode(mode);
    this.store.set({ mode });
    this.attempt(() => this.transport.call('mode/set', taskId === undefined ? { mode } : { taskId, mode }));
  }

  /** A task that was deleted is not open any more. @throws CallError */
  async close(taskId: string): Promise<void> {
    if (this.store.state.taskId === taskId) await this.open(undefined);
  }

  /** Takes an earlier message into the composer: what is sent next begins a new task from there. */
  edit(seq: number, draft: Draft): void {
    const { draft: before, editing } = this.store.state;
    this.#setEditing({ seq, before: editing?.before ?? before });
    this.write(draft);
    this.focusComposer();
  }

  /** Gives the composer back what stood there before the edit. */
  stopEditing(): void {
    const { editing } = this.store.state;
    if (!editing) return;
    this.#setEditing(undefined);
    this.write(editing.before);
  }

  #setEditing(editing: Editing | undefined): void {
    const { taskId } = this.store.state;
    if (taskId !== undefined) this.#drafts.saveEditing(taskId, editing);
    this.store.set({ editing });
  }

  openPath(path: string, line?: number): void {
    this.attempt(() =>
      this.transport.call('editor/openFile', line === undefined ? { path } : { path, line }),
    );
  }

  openExternal(url: string): void {
    this.attempt(() => this.transport.call('editor/openExternal', { url }));
  }

  /** What can be done with a call that runs or ran. */
  callAction(
    action: 'editor/openDiff' | 'editor/showTerminal' | 'command/stop' | 'command/background',
    callId: string,
  ): void {
    const { taskId } = this.store.state;
    if (taskId !== undefined) this.attempt(() => this.transport.call(action, { taskId, callId }));
  }

  words(key: StringKey): string {
    return translate(this.store.state.locale, message(key));
  }

  /** The task that was gone on from elsewhere keeps what was being written in it. */
  leaveBranched(taskId: string, before: Draft): void {
    this.#drafts.save(taskId, before);
    this.#drafts.saveEditing(taskId, undefined);
  }

  /** Opens a task, or the page of a new one. @throws CallError */
  async open(taskId: string | undefined): Promise<void> {
    const before = this.#feed;
    if (taskId !== undefined && before?.taskId === taskId) return;
    this.places.heights = undefined;
    const feed =
      taskId === undefined
        ? undefined
        : new TaskFeed(this.transport, taskId, {
            update: (update) => this.#show(taskId, update),
            failed: (error) => this.fail(error),
          });
    this.#feed = feed;
    this.store.set({
      taskId,
      view: emptyView(),
      ...{ before: 0, pages: 0, fetching: false },
      queued: [],
      elsewhere: undefined,
      editing: this.#drafts.editing(taskId),
      loading: feed !== undefined,
      draft: this.#drafts.of(taskId),
      error: undefined,
    });
    this.subtasks.follow(this.store.state.view);
    try {
      await Promise.all([
        feed?.open(),
        before?.close(),
        this.transport.call('editor/opened', taskId === undefined ? {} : { taskId }),
      ]);
    } catch (error) {
      // What cannot be shown is not open: what is written next would go nowhere.
      if (feed && this.#feed === feed && this.store.state.view.lastSeq === 0) {
        this.#feed = undefined;
        this.store.set({ taskId: undefined, draft: this.#drafts.of(undefined) });
      }
      throw error;
    } finally {
      if (this.#feed === feed || this.#feed === undefined) this.store.set({ loading: false });
    }
  }

  #show(taskId: string, { view, before, snapshot, grown }: FeedUpdate): void {
    if (this.#feed?.taskId !== taskId) return;
    const { view: shown, pages } = this.store.state;
    const { failure } = shown;
    this.store.set({ view, before, loading: false, ...snapshot, ...(grown ? { pages: pages + 1 } : {}) });
    this.subtasks.follow(view);
    if (view.failure && view.failure !== failure) this.#giveBack(view.failure.unsent);
  }

  /** Puts what was not taken before what is being written. */
  #giveBack(texts: readonly string[]): void {
    const { draft } = this.store.state;
    if (texts.length === 0) return;
    this.write({ ...draft, text: [...texts, draft.text].filter((text) => text !== '').join('\n\n') });
    this.store.set({ queued: [] });
  }

  #hear(notification: ReceivedNotification): void {
    switch (notification.name) {
      case 'task/events':
        if (this.#feed?.taskId === notification.params.taskId) this.#feed.receive(notification.params.events);
        else this.subtasks.receive(notification.params.taskId, notification.params.events);
        break;
      case 'task/queue':
        if (this.store.state.taskId === notification.params.taskId)
          this.store.set({ queued: notification.params.queued });
        break;
      case 'task/elsewhere': {
        const { taskId, writer } = notification.params;
        this.subtasks.setElsewhere(taskId, writer);
        if (this.#feed?.taskId !== taskId) break;
        this.store.set({ elsewhere: writer });
        this.#feed.setRunning(writer !== undefined);
        break;
      }
      case 'task/listChanged':
        this.attempt(() => this.tasks.refresh());
        break;
      case 'profile/changed':
        this.attempt(() => this.models.refresh());
        break;
      case 'policy/changed':
        this.store.set({ policy: notification.params.policy });
        break;
      case 'mcp/changed':
        this.attempt(() => this.servers.refresh());
        break;
      case 'mode/changed':
        this.#drafts.keepMode(notification.params.mode);
        this.store.set({ mode: notification.params.mode });
        break;
      case 'mode/listChanged':
        this.attempt(() => this.agentFiles.refresh());
        break;
      case 'memory/changed':
        this.notes.changed();
        break;
      case 'editor/command':
        runCommand(this, notification.params.command);
        break;
      case 'editor/openTask':
        this.openTask(notification.params.taskId);
        break;
      case 'editor/compose': {
        const { text, newTask } = notification.params;
        this.attempt(async () => {
          if (newTask) await this.open(undefined);
          this.store.set({ screen: 'chat' });
          this.propose(text);
        });
        break;
      }
      case 'editor/inView':
        this.store.set({ inView: notification.params });
        break;
      case 'editor/trusted':
        this.agentFiles.trust(notification.params.trusted);
        break;
      case 'editor/locale':
        this.store.set({ locale: notification.params.locale });
        break;
    }
  }
}
