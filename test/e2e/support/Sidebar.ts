import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { parseJournal } from '../../../src/core/task/TaskJournal.ts';
import type { JournalEntry } from '../../../src/shared/events.ts';
import type { Profile } from '../../../src/shared/settings.ts';
import { ScriptedModel } from '../../support/ScriptedModel.ts';
import { VsCode, type VsCodeOptions } from './VsCode.ts';

export interface SidebarOptions extends VsCodeOptions {
  provider: Profile['provider'];
  protocol: 'xml' | 'native';
  /** Its name says what it can do: a model called `vision` sees pictures. `scripted` by default. */
  modelName?: string;
}

/** What a person does in Lathe's sidebar, in a real VS Code, against a scripted model. */
export class Sidebar {
  private constructor(
    readonly code: VsCode,
    readonly model: ScriptedModel,
    readonly home: string,
    readonly view: FrameLocator,
  ) {}

  /** VS Code with the model set up as a person would have set it up before. */
  static async open({
    provider,
    protocol,
    modelName = 'scripted',
    ...options
  }: SidebarOptions): Promise<Sidebar> {
    const model = await ScriptedModel.start([]);
    const home = mkdtempSync(join(tmpdir(), 'lathe-e2e-home-'));
    try {
      mkdirSync(home, { recursive: true });
      const profile = { name: 'Scripted', provider, protocol, model: modelName, baseUrl: model.url };
      writeFileSync(
        join(home, 'settings.json'),
        JSON.stringify({ profiles: [profile], activeProfile: 'Scripted' }),
      );
      const code = await VsCode.start({ ...options, env: { ...options.env, LATHE_HOME: home } });
      return new Sidebar(code, model, home, await code.openSidebar());
    } catch (error) {
      await model.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.code.stop();
    await this.model.stop();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  get composer(): Locator {
    return this.view.getByTestId('composer');
  }

  /** A fresh task; the model will answer with these turns. */
  async task(text: string, turns: ScriptedModel['turns']): Promise<void> {
    this.answer(turns);
    await this.code.palette('Lathe: New Task');
    await this.view.getByTestId('empty').waitFor();
    await this.send(text);
  }

  /** What the model answers from here on. */
  answer(turns: ScriptedModel['turns']): void {
    this.model.turns.length = this.model.requests.length;
    this.model.turns.push(...turns);
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** The request for approval of this tool, once it is there. */
  async waiting(tool: string): Promise<Locator> {
    const approval = this.view.locator(`[data-testid="approval"][data-tool="${tool}"]`);
    await approval.waitFor();
    return approval;
  }

  async approve(tool: string): Promise<void> {
    const approval = await this.waiting(tool);
    await approval.getByTestId('approve').click();
    await approval.waitFor({ state: 'detached' });
  }

  async reject(tool: string, feedback = ''): Promise<void> {
    const approval = await this.waiting(tool);
    if (feedback !== '') await this.composer.fill(feedback);
    await approval.getByTestId('reject').click();
    await approval.waitFor({ state: 'detached' });
  }

  /** The cards of a tool in this state, in order. */
  cards(tool: string, state: string): Locator {
    return this.view.locator(`[data-testid="tool-card"][data-tool="${tool}"][data-state="${state}"]`);
  }

  /** Waits for the task to be complete; gives what the result says. */
  async completion(): Promise<string> {
    const completion = this.view.getByTestId('completion').and(this.view.locator('[data-streaming="false"]'));
    await completion.waitFor({ timeout: 90_000 });
    return await completion.innerText();
  }

  async state(state: string): Promise<void> {
    await this.view.locator(`[data-testid="task-line"][data-state="${state}"]`).waitFor();
  }

  /** The journal of the newest task, as it is on the disk. */
  journal(): JournalEntry[] {
    const tasks = join(this.home, 'tasks');
    const journals = readdirSync(tasks).map(
      (id) => parseJournal(readFileSync(join(tasks, id, 'journal.jsonl'))).entries,
    );
    return journals.sort((a, b) => (b[0]?.at ?? 0) - (a[0]?.at ?? 0))[0] ?? [];
  }

  /** Tool and outcome of every call of the newest task. */
  outcomes(): [string, string][] {
    return this.journal().flatMap((entry) =>
      entry.type === 'tool_finished' ? [[entry.tool, entry.outcome] as [string, string]] : [],
    );
  }

  /** What the model was told of the call with this number (from 0) in the newest task. */
  result(number: number): string {
    const finished = this.journal().filter((entry) => entry.type === 'tool_finished')[number];
    return finished?.type === 'tool_finished'
      ? finished.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      : '';
  }
}
