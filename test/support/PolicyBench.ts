import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decideCall, type Verdict } from '../../src/core/approval/decide.ts';
import { FileGate } from '../../src/core/context/FileGate.ts';
import { toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { toolByName } from '../../src/core/tools/index.ts';
import type { TaskContext } from '../../src/core/tools/TaskContext.ts';
import { WorkspaceNotes } from '../../src/core/notes/WorkspaceNotes.ts';
import { TaskBrowser } from '../../src/core/tools/TaskBrowser.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { validateToolUse } from '../../src/core/tools/validateToolUse.ts';
import { NodeHost } from '../../src/hosts/node/NodeHost.ts';
import { approvalPolicySchema, type ApprovalPolicy } from '../../src/shared/approvals.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import type { ToolName } from '../../src/shared/tools.ts';

/** What came of a call before anyone was asked: the gate or the mode refused it, or approval judged it. */
export type Judged = { refused: string } | Verdict;

/** A workspace on the real disk between other folders, in which single calls are judged as a turn would: nothing is executed. */
export class PolicyBench {
  /** Links resolved. */
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly artifacts: string;
  readonly gate: FileGate;
  readonly host: NodeHost;

  private constructor(host: NodeHost) {
    this.host = host;
    this.base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-policy-')));
    this.root = join(this.base, 'workspace');
    this.home = join(this.base, 'home');
    this.artifacts = join(this.home, 'tasks', 'one', 'artifacts');
    mkdirSync(this.root);
    mkdirSync(this.artifacts, { recursive: true });
    this.gate = new FileGate({ root: this.root, homes: [this.home], files: host.files });
  }

  static async open(): Promise<PolicyBench> {
    return new PolicyBench(await NodeHost.create(process.env));
  }

  async close(): Promise<void> {
    await this.host.dispose();
    rmSync(this.base, { recursive: true, force: true });
  }

  /** Writes a file; `path` is relative to the folder that holds the workspace. */
  write(path: string, content: string | Uint8Array = 'text\n'): void {
    const whole = join(this.base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(join(this.base, path)), { recursive: true });
    symlinkSync(target, join(this.base, path));
  }

  async judge(
    tool: string,
    params: Record<string, unknown>,
    { mode = modeOf('code'), policy = {} }: { mode?: ModeConfig; policy?: Partial<ApprovalPolicy> } = {},
  ): Promise<Judged> {
    const wholePolicy = approvalPolicySchema.parse(policy);
    try {
      validateToolUse(tool, { mode, allowed: offeredIn(mode) });
      const found = toolByName(tool);
      if (!found) throw new Error(`no tool ${tool}`);
      const decoded = found.decode({
        type: 'tool_use',
        id: 'call',
        name: tool,
        origin: 'native',
        params: {},
        nativeArgs: params,
        partial: false,
      });
      const { actions } = await found.prepare(decoded, this.context(mode));
      return decideCall(actions, wholePolicy, { workspace: this.root, artifacts: this.artifacts });
    } catch (error) {
      if (error instanceof ToolError) return { refused: error.message };
      throw error;
    }
  }

  context(mode: ModeConfig): TaskContext {
    const { signal } = new AbortController();
    return {
      callId: 'call',
      origin: 'native',
      artifactsFolder: this.artifacts,
      cwd: this.root,
      mode,
      host: this.host,
      settings: editorSettingsSchema.parse({}),
      signal,
      model: { images: false, nativeTools: true },
      contextLeft: undefined,
      resolve: (path, access) => this.gate.resolve(path, access, mode, signal),
      isIgnored: (path) => this.gate.ignore.hides(path),
      isWithheld: (path, walked) => this.gate.withholds(path, { deny: [], secrets: walked.protected }),
      freshness: { noteRead: () => undefined, lastRead: () => undefined },
      todos: { list: () => [], update: () => Promise.resolve() },
      modes: { list: () => builtInModes, switchTo: () => Promise.resolve() },
      subtasks: { run: () => Promise.resolve({ content: '' }) },
      instructions: {
        rule: () => Promise.resolve(undefined),
        command: () => Promise.resolve(undefined),
      },
      ask: () => Promise.resolve(undefined),
      condense: () => Promise.resolve(''),
      afterUntrusted: false,
      browser: new TaskBrowser(this.host.browser, editorSettingsSchema.parse({})),
      notes: async () => await WorkspaceNotes.of(this.home, this.root, this.host.files),
      failedInMessage: [],
      doneInMessage: [],
      background: new Promise<void>(() => undefined),
    };
  }
}

export function modeOf(slug: string): ModeConfig {
  const mode = builtInModes.find((one) => one.slug === slug);
  if (!mode) throw new Error(`no mode ${slug}`);
  return mode;
}

export function offeredIn(mode: ModeConfig): ToolName[] {
  return toolsForMode(mode, { compact: false, settings: { todoList: true }, isAvailable: () => true });
}
