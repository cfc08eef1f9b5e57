import {
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { resolve } from 'node:path';
import type { Agent } from '../../core/Agent.ts';
import type { Logger } from '../../core/Logger.ts';
import type { ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import type { JournalEntry, TaskEvent } from '../../shared/events.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import type { FileChanges } from './FileChanges.ts';
import {
  permissionDecision,
  permissionOptions,
  questionDecision,
  questionForm,
  questionText,
  textsOf,
} from './permissions.ts';
import { promptContent, type PromptContent } from './promptContent.ts';
import { Prompts } from './Prompts.ts';
import { INVALID_PARAMS } from './requestErrors.ts';
import { offeredCommands } from './offeredCommands.ts';
import { configOptions, modeState, wantedChoice, type SessionChoices } from './sessionChoices.ts';
import { SessionUpdates, type SessionUpdatesOptions } from './SessionUpdates.ts';
import { SubtaskUpdates } from './SubtaskUpdates.ts';
import { subtaskJournals } from './subtaskJournals.ts';

export interface AcpSessionOptions {
  id: string;
  /** Absolute. */
  cwd: string;
  /** Of this session alone, with the client's files and terminals as its host. */
  agent: Agent;
  changes: FileChanges;
  client: AgentContext;
  capabilities: ClientCapabilities;
  /** Aborts when the connection has closed. */
  gone: AbortSignal;
  mode: string;
  locale: Locale;
  logger: Logger;
  /** Ends what belongs to the session's host. */
  disposeHost: () => Promise<void>;
}

/** The whole journal in one page. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * A session of a client: one task, and the agent that runs it. The task is written down with the first prompt, so that a thread
 * which was opened and left leaves nothing behind.
 */
export class AcpSession {
  readonly #options: AcpSessionOptions;
  readonly #agent: Agent;
  readonly #prompts: Prompts;
  /** Permissions and forms that wait, by their approval. */
  readonly #asking = new Map<string, AbortController>();
  readonly #stopListening: () => void;
  #updates: SessionUpdates;
  #subtasks: SubtaskUpdates;
  #choices: SessionChoices;
  #created = false;
  #isKnown = false;
  /** The commands that the client knows; at first none. */
  #saidCommands = '[]';
  /** Updates on their way: an answer leaves after them. */
  #written: Promise<unknown> = Promise.resolve();

  private constructor(options: AcpSessionOptions, choices: SessionChoices) {
    this.#options = options;
    this.#agent = options.agent;
    this.#choices = choices;
    this.#updates = new SessionUpdates(this.#updatesOptions);
    this.#subtasks = new SubtaskUpdates(this.#updatesOptions);
    this.#prompts = new Prompts(options.locale);
    this.#stopListening = this.#agent.onNotification((name, params) => {
      if (name === 'task/events' && 'events' in params)
        for (const event of params.events)
          if (params.taskId === options.id) this.#event(event);
          else this.#subtaskEvent(params.taskId, event);
      // Before the client knows the session there is nothing to tell it of.
      if (this.#isKnown && (name === 'mode/listChanged' || name === 'mcp/changed'))
        this.refresh().catch((error: unknown) => this.#report('modes', error));
    });
  }

  static async open(options: AcpSessionOptions): Promise<AcpSession> {
    const { dispatcher } = options.agent;
    const modes = await dispatcher.call('mode/list', {});
    requireMode(options.mode, modes, options.locale);
    const { profiles, active } = await dispatcher.call('profile/list', {});
    return new AcpSession(options, { mode: options.mode, modes, profile: active, profiles });
  }

  get id(): string {
    return this.#options.id;
  }

  get modes(): SessionModeState {
    return modeState(this.#choices);
  }

  get configOptions(): SessionConfigOption[] {
    return configOptions(this.#choices, this.#options.locale);
  }

  /** Takes up what is written down. `shown`: the client hears all of it before this resolves. @throws ProtocolError, RequestError */
  async restore(shown: boolean): Promise<void> {
    const { id, cwd, locale } = this.#options;
    const entries = await this.#journal(id);
    const [first] = entries;
    if (first?.type === 'task_started' && resolve(first.cwd) !== cwd)
      throw new RequestError(
        INVALID_PARAMS,
        translate(locale, message('acp.error.otherFolder', { path: first.cwd })),
      );
    this.#created = true;
    const journals = await subtaskJournals(entries, async (taskId) => await this.#journal(taskId));
    this.#updates.dispose();
    this.#subtasks.dispose();
    this.#updates = new SessionUpdates(this.#updatesOptions);
    this.#subtasks = new SubtaskUpdates(this.#updatesOptions);
    this.#updates.replay(entries, shown, (entry) => this.#subtasks.replay(entry, journals, shown));
    this.#takeChoices(this.#updates.state);
    await this.#flush();
  }

  async #journal(taskId: string): Promise<readonly JournalEntry[]> {
    const whole = { taskId, before: ALL, bytes: ALL };
    return (await this.#agent.dispatcher.call('task/page', whole)).entries;
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { cwd, locale } = this.#options;
    const content = promptContent(blocks, cwd, locale);
    const ended = this.#prompts.add(async () => await this.#deliver(content));
    const cancel = (): void => void this.cancel().catch((error: unknown) => this.#report('cancel', error));
    signal.addEventListener('abort', cancel, { once: true });
    try {
      if (signal.aborted) cancel();
      return await ended;
    } finally {
      signal.removeEventListener('abort', cancel);
      await this.#flush();
    }
  }

  /** Stops the turn, and what waits behind it; resolves when all of it is written down. */
  async cancel(): Promise<void> {
    await this.#prompts.then(async () => {
      if (this.#created) await this.#agent.dispatcher.call('task/cancel', { taskId: this.#options.id });
    });
  }

  /** @throws RequestError for a mode that there is none */
  async setMode(mode: string): Promise<void> {
    const { id, locale } = this.#options;
    requireMode(mode, this.#choices.modes, locale);
    if (this.#created) await this.#agent.dispatcher.call('mode/set', { taskId: id, mode });
    this.#change({ mode });
    await this.#flush();
  }

  /** @throws RequestError for an option or a value that is not offered */
  async setOption(request: SetSessionConfigOptionRequest): Promise<SessionConfigOption[]> {
    const { id: taskId, locale } = this.#options;
    const { id, value } = wantedChoice(request, this.#choices, locale);
    if (id === 'mode') {
      await this.setMode(value);
    } else {
      if (this.#created) await this.#agent.dispatcher.call('profile/select', { taskId, name: value });
      this.#change({ profile: value });
      await this.#flush();
    }
    return this.configOptions;
  }

  /** What files define and servers offer now: the client hears of modes that are others than before, and of every command. */
  async refresh(): Promise<void> {
    this.#isKnown = true;
    const { dispatcher } = this.#agent;
    const modes = await dispatcher.call('mode/list', {});
    if (JSON.stringify(modes) !== JSON.stringify(this.#choices.modes)) {
      this.#choices = { ...this.#choices, modes };
      this.#send({ sessionUpdate: 'config_option_update', configOptions: this.configOptions });
    }
    const [{ commands }, { servers }] = [
      await dispatcher.call('command/list', {}),
      await dispatcher.call('mcp/list', {}),
    ];
    const availableCommands = offeredCommands(commands, servers);
    const said = JSON.stringify(availableCommands);
    if (said === this.#saidCommands) return;
    this.#saidCommands = said;
    this.#send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** The client's terminal that a call runs in: embedded before anything is printed there. */
  async terminal(callId: string, terminalId: string): Promise<void> {
    this.#updates.terminal(callId, terminalId);
    this.#subtasks.terminal(callId, terminalId);
    await this.#flush();
  }

  /** Stops what runs and frees everything; the task stays. */
  async close(): Promise<void> {
    try {
      await this.cancel();
    } finally {
      this.#stopListening();
      this.#updates.dispose();
      this.#subtasks.dispose();
      await this.#agent.dispose();
      await this.#options.disposeHost();
    }
  }

  async #deliver(content: PromptContent): Promise<void> {
    const { id: taskId, cwd } = this.#options;
    const { mode, profile } = this.#choices;
    if (this.#created) {
      await this.#agent.dispatcher.call('task/send', { taskId, ...content });
      return;
    }
    const chosen = profile === undefined ? { mode } : { mode, profile };
    await this.#agent.dispatcher.call('task/create', { taskId, cwd, ...chosen, ...content });
    this.#created = true;
  }

  #event(event: TaskEvent): void {
    this.#updates.event(event);
    if (event.kind === 'delta') {
      if (event.delta.type === 'turn_failed') this.#prompts.failed(event.delta.error);
      return;
    }
    const { entry } = event;
    this.#prompts.entry(entry);
    this.#approval(entry, this.#updates);
  }

  #subtaskEvent(taskId: string, event: TaskEvent): void {
    const updates = this.#subtasks.of(taskId);
    updates.event(event);
    if (event.kind === 'delta') return;
    // A prompt that answers a subtask's question goes to it.
    if (event.entry.type === 'user_message') this.#prompts.entry(event.entry);
    this.#approval(event.entry, updates);
  }

  #approval(entry: JournalEntry, updates: SessionUpdates): void {
    if (entry.type === 'approval_requested') this.#ask(entry.request, updates);
    if (entry.type === 'approval_resolved') this.#asking.get(entry.approvalId)?.abort();
  }

  #ask(request: ApprovalRequest, updates: SessionUpdates): void {
    const controller = new AbortController();
    this.#asking.set(request.id, controller);
    this.#answer(request, updates, controller.signal)
      .catch((error: unknown) => this.#report('permission', error))
      .finally(() => this.#asking.delete(request.id));
  }

  async #answer(request: ApprovalRequest, updates: SessionUpdates, signal: AbortSignal): Promise<void> {
    let decision: ApprovalDecision | undefined;
    try {
      decision = await this.#decision(request, updates, signal);
    } catch (error) {
      if (signal.aborted) return;
      // A client that cannot be asked has not said yes.
      this.#report('permission', error);
      decision = { outcome: 'reject', by: 'client' };
    }
    if (signal.aborted) return;
    // `cancelled` is the word for a turn that was cancelled: it is no answer to the call, and the turn ends.
    if (!decision) await this.cancel();
    else
      await this.#agent.dispatcher.call('approval/respond', {
        taskId: request.taskId,
        approvalId: request.id,
        decision,
      });
  }

  async #decision(
    request: ApprovalRequest,
    updates: SessionUpdates,
    signal: AbortSignal,
  ): Promise<ApprovalDecision | undefined> {
    const { id: sessionId, client, capabilities, locale, changes } = this.#options;
    const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
    switch (request.reason) {
      case 'tool': {
        const paths = request.actions.flatMap((action) => ('path' in action ? [action.path] : []));
        const toolCall = updates.asked(
          request.callId,
          changes.proposed(paths),
          textsOf(request.actions, locale),
        );
        const options = permissionOptions(request.options, locale);
        const answer = await client.request(
          'session/request_permission',
          { sessionId, toolCall, options },
          waiting,
        );
        return permissionDecision(answer, request.options);
      }
      case 'question': {
        // No answer ends the turn with the question open; the next prompt is the answer.
        const none: ApprovalDecision = { outcome: 'cancelled', by: 'client' };
        if (!capabilities.elicitation?.form) {
          updates.say(request.id, questionText(request));
          return none;
        }
        const answer = await client.request(
          'elicitation/create',
          questionForm(request, { sessionId, locale }),
          waiting,
        );
        return questionDecision(answer, request) ?? none;
      }
      case 'completion':
        return { outcome: 'allow', by: 'client' };
      case 'request_failed':
      case 'mistake_limit':
        // The prompt is answered with the error; the person says with the next one how to go on.
        return { outcome: 'reject', by: 'client' };
    }
  }

  get #updatesOptions(): SessionUpdatesOptions {
    const { cwd, locale, changes, capabilities } = this.#options;
    return {
      cwd,
      locale,
      changes,
      notices: Boolean(capabilities.session?.notices),
      compaction: Boolean(capabilities.session?.compaction),
      send: (update) => this.#send(update),
      onChoice: (state) => this.#change(state),
    };
  }

  #takeChoices({ mode, model }: { mode: string; model?: { profile: string } | undefined }): void {
    const { profiles } = this.#choices;
    const known = profiles.some(({ name }) => name === model?.profile);
    this.#choices = { ...this.#choices, mode, ...(known && model ? { profile: model.profile } : {}) };
  }

  /** Both ways in which clients know modes are told, so that they agree. */
  #change(changed: { mode?: string; model?: { profile: string } | undefined; profile?: string }): void {
    const before = this.#choices;
    const profile = changed.profile ?? changed.model?.profile ?? before.profile;
    const mode = changed.mode ?? before.mode;
    if (mode === before.mode && profile === before.profile) return;
    this.#choices = { ...before, mode, profile };
    if (mode !== before.mode) this.#send({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    this.#send({ sessionUpdate: 'config_option_update', configOptions: this.configOptions });
  }

  #send(update: SessionUpdate): void {
    const { client, id: sessionId } = this.#options;
    const sent = client.notify('session/update', { sessionId, update });
    this.#written = Promise.all([this.#written, sent]).catch((error: unknown) => {
      // The client has gone; what happens is in the journal all the same.
      this.#report('update', error);
    });
  }

  async #flush(): Promise<void> {
    await this.#written;
  }

  #report(what: string, error: unknown): void {
    const { id, logger, gone } = this.#options;
    if (!gone.aborted) logger.error(`session ${id}: ${what}`, error);
  }
}

function requireMode(mode: string, modes: readonly ModeConfig[], locale: Locale): void {
  if (modes.some(({ slug }) => slug === mode)) return;
  const known = modes.map(({ slug }) => slug).join(', ');
  const words = message('acp.error.unknownMode', { mode, modes: known });
  throw new RequestError(INVALID_PARAMS, translate(locale, words));
}
