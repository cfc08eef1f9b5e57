import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ApprovalPolicy, ApprovalRule, AutoApproval } from '../../shared/approvals.ts';
import { DEFAULT_MODE, builtInModes, type ModeConfig } from '../../shared/modes.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import { message } from '../../shared/strings.ts';
import type { ToolName } from '../../shared/tools.ts';
import type { Checkpoints } from '../checkpoints/Checkpoints.ts';
import { TurnCheckpoints } from '../checkpoints/TurnCheckpoints.ts';
import { ContextRoom, type Asked } from '../context/ContextRoom.ts';
import { FileFreshness } from '../context/FileFreshness.ts';
import { FileGate } from '../context/FileGate.ts';
import { ProtocolError } from '../Dispatcher.ts';
import type { AgentFolders } from '../context/AgentFolders.ts';
import type { SlashCommands } from '../commands/SlashCommands.ts';
import { taskInstructions } from '../context/taskInstructions.ts';
import { commandFacts } from '../approval/commandFacts.ts';
import { judgeInThread } from '../approval/commands/judgeInThread.ts';
import { sandboxStanding } from '../approval/sandboxStanding.ts';
import { expandMcpPrompt } from '../commands/mcpPrompts.ts';
import { mentionBudget } from '../context/mentions/mentionBudget.ts';
import { readMentions } from '../context/mentions/readMentions.ts';
import type { Host } from '../host/Host.ts';
import type { Logger } from '../Logger.ts';
import { toolsForMode } from '../modes/toolsForMode.ts';
import type { ProfileModel } from '../Profiles.ts';
import type { WorkspaceNotes } from '../notes/WorkspaceNotes.ts';
import { systemPrompt } from '../prompts/system.ts';
import { nativeTools } from '../prompts/tools/index.ts';
import { fastApply } from '../provider/fastApply.ts';
import type { ProviderRequest } from '../provider/Provider.ts';
import type { BaseTool, DescribeArguments } from '../tools/BaseTool.ts';
import { toolByName, tools } from '../tools/index.ts';
import { TaskBrowser } from '../tools/TaskBrowser.ts';
import type { CommandPort, TaskContext } from '../tools/TaskContext.ts';
import { ToolRepetitionDetector } from '../tools/ToolRepetitionDetector.ts';
import { environmentFor } from './environmentFor.ts';
import { EditPreviews } from './EditPreviews.ts';
import type { TurnOptions } from './runTurn.ts';
import type { Task } from './Task.ts';
import type { TaskStack } from './TaskStack.ts';

/** What a turn takes from the agent. */
export interface TurnSources {
  host: Host;
  /** LATHE_HOME: its contents are always protected. */
  home: string;
  /** The task's own folder. */
  folder: string;
  logger: Logger;
  attended: () => boolean;
  answersInText?: boolean;
  automatic?: AutoApproval;
  editorSettings: () => EditorSettings;
  /** As they were read last. */
  modes: () => readonly ModeConfig[];
  /** Reads the files that define them anew. */
  readModes: () => Promise<readonly ModeConfig[]>;
  commands: SlashCommands;
  agentFolders: AgentFolders;
  /** Absolute paths of files of rules that the model is not given. */
  rulesOff: () => Promise<readonly string[]>;
  model: () => Promise<ProfileModel>;
  /** Another of the person's models, by the name of its profile. */
  modelNamed: (profile: string) => Promise<ProfileModel>;
  policy: () => Promise<ApprovalPolicy>;
  keepRule: (list: 'allow' | 'deny', rule: ApprovalRule) => Promise<void>;
  subtasks: TaskStack;
  notes: (cwd: string) => Promise<WorkspaceNotes>;
  checkpoints: Checkpoints;
  /** Project files that say how to work are read only in a trusted workspace. */
  trusted: () => boolean;
}

/** Puts a turn's parts together. Everything here lives as long as the turn. */
export async function turnOptions(task: Task, sources: TurnSources): Promise<TurnOptions> {
  const { host, attended, logger, keepRule } = sources;
  const { cwd } = task.state;
  const settings = sources.editorSettings();
  const gate = new FileGate({ root: cwd, homes: [sources.home], files: host.files });
  const read = new FileFreshness(host.files, task.state.files);
  const checkpoints = new TurnCheckpoints({ ...sources, task, enabled: settings.checkpoints });
  const browser = new TaskBrowser(host.browser, settings);
  const artifactsFolder = await artifactsIn(sources.folder);
  const room = new ContextRoom(task, settings);
  let model = await sources.model();
  await sources.readModes();

  const policy = async (): Promise<ApprovalPolicy> => {
    const kept = await sources.policy();
    return sources.automatic ? { ...kept, auto: sources.automatic } : kept;
  };
  let current = await policy();

  const instructions = taskInstructions({ ...sources, cwd });
  let rules = await instructions.rulesOf(task.state.mode);
  let commands = await instructions.commands();
  const mode = (): ModeConfig => modeOf(task.state.mode, sources.modes());
  const offered = (): ToolName[] =>
    toolsForMode(mode(), {
      compact: model.profile.compactPrompt === true,
      settings,
      isAvailable: (name) => toolIn(name).isAvailable({ host, settings, model: model.facts }),
    });

  // Where nothing can be changed the workspace need not be read.
  if (offered().some((name) => ['edit', 'command', 'mcp'].includes(toolIn(name).group ?? '')))
    checkpoints.warmUp();

  const applyFast: TaskContext['fastApply'] = async (request, abort) => {
    try {
      const { provider, profile } = await sources.modelNamed(settings.fastApplyProfile);
      return await fastApply({ provider, model: profile.model }, request, abort);
    } catch (error) {
      // No such profile: the model can edit in another way.
      if (!(error instanceof ProtocolError)) throw error;
      return { failed: 'error', error: { message: error.words, retryable: false } };
    }
  };

  const makePicture: TaskContext['makePicture'] = async (request, abort) => {
    try {
      const { provider, profile } = await sources.modelNamed(settings.imageProfile);
      if (provider.makePicture)
        return await provider.makePicture({ ...request, model: profile.model }, abort);
      return { error: { message: message('error.noPictures', { name: profile.name }), retryable: false } };
    } catch (error) {
      // No such profile: the model can go on without.
      if (!(error instanceof ProtocolError)) throw error;
      return { error: { message: error.words, retryable: false } };
    }
  };

  const homes = [await realpath(sources.home)];
  const commandsFor = (signal: AbortSignal): CommandPort => {
    const root = async (): Promise<string> => (await gate.resolve('.', 'list', mode(), signal)).real;
    let realRoot = cwd;
    return {
      root,
      look: async (command, folder) => {
        current = await policy();
        realRoot = await root();
        return await commandFacts({
          ...{ command, folder, root: realRoot, workspace: cwd, homes, policy: current, settings, host },
          afterUntrusted: task.state.afterUntrusted,
          resolve: async (path) => await gate.resolve(path, 'read', mode(), signal),
          judge: async (text, rules) => await judgeInThread(text, rules, signal),
        });
      },
      standing: (kind) =>
        sandboxStanding(
          {
            ...{ root: realRoot, homes, deny: current.deny },
            isIgnored: (path) => gate.ignore.hides(path),
          },
          kind,
        ),
    };
  };

  const contextFor: TurnOptions['contextFor'] = ({
    callId,
    origin,
    signal,
    background,
    noteFile,
    failed,
    done,
  }): TaskContext => {
    return {
      callId,
      origin,
      artifactsFolder,
      cwd,
      mode: mode(),
      host,
      settings,
      signal,
      background,
      model: model.facts,
      contextLeft: room.left(model.reference.contextWindow, model.profile.maxOutputTokens),
      condense: async (summary) => await room.condenseTo(summary, callId, asked()),
      resolve: async (path, access) => {
        current = await policy();
        return await gate.resolve(path, access, mode(), signal);
      },
      isIgnored: (path) => gate.ignore.hides(path),
      isWithheld: (path, walked) =>
        gate.withholds(path, { deny: current.deny, secrets: walked.protected || current.auto.all }),
      freshness: {
        noteRead: (path, hash) => {
          read.noteRead(path, hash);
          noteFile(path, hash);
        },
        lastRead: (path) => read.lastRead(path),
      },
      todos: {
        list: () => task.state.todos,
        update: async (todos) => {
          await task.record({ type: 'todos_updated', todos, by: 'model' });
        },
      },
      modes: {
        list: () => sources.modes(),
        switchTo: async (slug, reason) => {
          await task.record({
            type: 'mode_changed',
            mode: slug,
            by: 'model',
            ...(reason === undefined ? {} : { reason }),
          });
        },
      },
      subtasks: sources.subtasks.of(task, callId, signal),
      instructions: {
        rule: async (name) => await instructions.rule(name, mode().slug),
        command: async (name) => await instructions.command(name),
      },
      ask: async ({ question, suggestions }) => {
        if (!attended()) return undefined;
        const decision = await task.ask({ reason: 'question', callId, question, suggestions }, signal);
        signal.throwIfAborted();
        if (decision.outcome !== 'allow') return undefined;
        return {
          answer: decision.feedback ?? '',
          ...(decision.images ? { images: decision.images } : {}),
          ...(decision.mode === undefined ? {} : { mode: decision.mode }),
        };
      },
      afterUntrusted: task.state.afterUntrusted,
      browser,
      notes: async () => await sources.notes(cwd),
      commands: commandsFor(signal),
      failedInMessage: failed,
      doneInMessage: done,
      ...(settings.fastApplyProfile === '' ? {} : { fastApply: applyFast }),
      ...(settings.imageProfile === '' ? {} : { makePicture }),
    };
  };

  const date = new Date(task.state.createdAt).toISOString().slice(0, 10);

  const requestHead: TurnOptions['requestHead'] = () => {
    const { profile, reference } = model;
    const compact = profile.compactPrompt === true;
    const describe: DescribeArguments = {
      protocol: reference.protocol,
      settings,
      singleFileRead: profile.singleFileRead === true || compact,
      modes: [...sources.modes()],
      commands,
      ...(host.mcp ? { mcp: { servers: host.mcp.servers(), window: reference.contextWindow } } : {}),
    };
    const offeredTools = offered().map(toolIn);
    const head: Omit<ProviderRequest, 'messages'> = {
      model: profile.model,
      system: systemPrompt({
        mode: mode(),
        modes: sources.modes(),
        tools: offeredTools,
        describe,
        compact,
        ...rules,
        platform: host.system.platform,
        shell: host.system.shell,
        workspace: basename(cwd),
        date,
      }),
      ...(reference.protocol === 'native' ? { tools: nativeTools(offeredTools, describe) } : {}),
      ...(profile.maxOutputTokens === undefined ? {} : { maxOutputTokens: profile.maxOutputTokens }),
      ...(profile.temperature === undefined ? {} : { temperature: profile.temperature }),
      ...(profile.reasoningEffort === undefined ? {} : { reasoningEffort: profile.reasoningEffort }),
      cacheKey: task.id,
    };
    return head;
  };
  const asked = (): Asked => ({ model, head: requestHead() });
  const previews =
    host.editor?.preview &&
    new EditPreviews({
      editor: host.editor,
      files: host.files,
      logger,
      toolByName,
      resolve: async (path, abort) => await gate.resolve(path, 'edit', mode(), abort),
    });

  return {
    host,
    logger,
    attended,
    ...(sources.answersInText === undefined ? {} : { answersInText: sources.answersInText }),
    keepRule,
    room,
    requestHead,
    checkpoints,
    artifacts: artifactsFolder,
    toolByName,
    mode,
    allowedTools: offered,
    repetition: new ToolRepetitionDetector(),
    policy,
    contextFor,
    model: async () => {
      model = await sources.model();
      // What was written or switched since the last request counts from this one on.
      await sources.readModes();
      [rules, commands] = [await instructions.rulesOf(mode().slug), await instructions.commands()];
      return model;
    },
    environment: async () =>
      await environmentFor(task, {
        ...{ host, gate, read, settings, modeName: mode().name },
        ...(offered().includes('memory') ? { notes: async () => await sources.notes(cwd) } : {}),
      }),
    expand: async (text, signal) => {
      const expanded =
        (await sources.commands.expand(cwd, text)) ??
        // A subtask's first message is its parent's model's, who asks before it calls a server.
        (task.state.parent && !task.entries.some(({ type }) => type === 'user_message')
          ? undefined
          : await expandMcpPrompt(text, host.mcp, signal));
      if (expanded?.mode === undefined || sources.modes().some(({ slug }) => slug === expanded.mode))
        return expanded;
      logger.warn(`/${expanded.name}: there is no mode ${expanded.mode}`);
      const { mode: _none, ...known } = expanded;
      return known;
    },
    readMentions: async (text, signal) => {
      model = await sources.model();
      const { deny } = await policy();
      const left = room.left(model.reference.contextWindow, model.profile.maxOutputTokens);
      const budget = mentionBudget(left, settings);
      return await readMentions(text, budget, {
        ...{ root: cwd, gate, host, settings, deny, signal },
        mode: mode(),
        freshness: read,
        images: model.facts.images,
      });
    },
    limits: () => ({ requests: settings.requestLimit, mistakes: settings.mistakeLimit }),
    ...(previews ? { previews } : {}),
    end: async () => {
      await Promise.all([previews?.clear(), browser.end(), checkpoints.end()]);
    },
  };
}

/** The folder as approval will see it: every link resolved. */
async function artifactsIn(folder: string): Promise<string> {
  const artifacts = join(folder, 'artifacts');
  await mkdir(artifacts, { recursive: true, mode: 0o700 });
  return await realpath(artifacts);
}

function toolIn(name: ToolName): BaseTool {
  return tools[name];
}

/** A mode that is gone (a custom one whose file was removed) leaves the task in the default mode. */
function modeOf(slug: string, modes: readonly ModeConfig[]): ModeConfig {
  const mode =
    modes.find((one) => one.slug === slug) ?? builtInModes.find((one) => one.slug === DEFAULT_MODE);
  if (!mode) throw new Error(`there is no mode ${slug}`);
  return mode;
}
