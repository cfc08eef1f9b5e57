import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import type { TaskSummary } from '../../src/shared/protocol.ts';
import { ScriptedModel, xmlCall, type ReceivedRequest, type Reply } from './ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from './TestAgent.ts';

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

/** What the scripted model answers: by the words of the task that asks, and how many of its own messages went before. */
export type Script = Record<string, readonly (Reply | ((request: ReceivedRequest) => Reply))[]>;

const SCRIPTS = /script:(\w+)/;

/** A workspace, a model whose tasks each have a script by name (`script:name` in what they are asked), and agents over one home. */
export class SubtaskBench {
  readonly cwd = mkdtempSync(join(tmpdir(), 'lathe-subtasks-'));
  readonly home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
  readonly model: ScriptedModel;
  readonly agents: TestAgent[] = [];
  readonly protocol: 'xml' | 'native';

  private constructor(model: ScriptedModel, protocol: 'xml' | 'native') {
    this.model = model;
    this.protocol = protocol;
  }

  static async start(script: Script, protocol: 'xml' | 'native' = 'xml'): Promise<SubtaskBench> {
    const answer = (request: ReceivedRequest): Reply => {
      const messages = request.body.messages as { role: string; content: unknown }[];
      const asked = messages.find(({ role }) => role === 'user');
      const name = SCRIPTS.exec(JSON.stringify(asked))?.[1] ?? '';
      const said = messages.filter(({ role }) => role === 'assistant').length;
      const turn = script[name]?.[said];
      if (turn === undefined) return { status: 400, error: `the script of '${name}' has no message ${said}` };
      return typeof turn === 'function' ? turn(request) : turn;
    };
    return new SubtaskBench(await ScriptedModel.start(Array<typeof answer>(500).fill(answer)), protocol);
  }

  /** An agent of its own process, as far as the journals can tell. */
  async agent(options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    const agent = await TestAgent.start({
      cwd: this.cwd,
      home: this.home,
      profile: {
        provider: this.protocol === 'xml' ? 'openai-compatible' : 'anthropic',
        baseUrl: this.model.url,
        protocol: this.protocol,
      },
      automatic: { switchMode: true },
      ...options,
    });
    this.agents.push(agent);
    return agent;
  }

  /** A call in this bench's protocol. */
  call(name: string, params: Record<string, string>): Reply {
    return this.protocol === 'xml'
      ? { text: xmlCall(name, params) }
      : { calls: [{ name, arguments: params }] };
  }

  async journal(taskId: string): Promise<JournalEntry[]> {
    return await TaskJournal.read(join(this.home, 'tasks', taskId));
  }

  async entries<T extends JournalEntry['type']>(taskId: string, type: T): Promise<EntryOf<T>[]> {
    return (await this.journal(taskId)).filter((entry): entry is EntryOf<T> => entry.type === type);
  }

  /** What came of the task's calls of this tool: outcome and words, without the line that names the call. */
  async results(taskId: string, tool = 'new_task'): Promise<[outcome: string, words: string][]> {
    return (await this.entries(taskId, 'tool_finished'))
      .filter((entry) => entry.tool === tool)
      .map(({ outcome, content }) => [
        outcome,
        content
          .map((part) => (part.type === 'text' ? part.text : ''))
          .join('\n')
          .replace(/^\[.*\] Result:\n/, ''),
      ]);
  }

  /** Every task, the first begun first. */
  async tasks(agent: TestAgent): Promise<TaskSummary[]> {
    const tasks = await agent.agent.dispatcher.call('task/list', {});
    return tasks.sort((a, b) => a.createdAt - b.createdAt);
  }

  async stop(): Promise<void> {
    for (const agent of this.agents) await agent.stop();
    await this.model.stop();
    rmSync(this.cwd, { recursive: true, force: true });
    rmSync(this.home, { recursive: true, force: true });
  }
}
