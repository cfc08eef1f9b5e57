import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJournal } from '../../src/core/task/TaskJournal.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });

describe('a subtask, in a real VS Code', () => {
  let sidebar: Sidebar;
  let workspace: Workspace;

  before(async function () {
    this.timeout(180_000);
    workspace = Workspace.ofSample();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
  });
  after(async () => {
    await sidebar.close();
    workspace.remove();
  });

  /** The journals of all tasks, the first begun first. */
  function journals(): JournalEntry[][] {
    const tasks = join(sidebar.home, 'tasks');
    return readdirSync(tasks)
      .map((id) => parseJournal(readFileSync(join(tasks, id, 'journal.jsonl'))).entries)
      .sort((a, b) => (a[0]?.at ?? 0) - (b[0]?.at ?? 0));
  }

  it('is approved from its parent, survives a killed extension host, and returns to its parent', async function () {
    this.timeout(300_000);
    const { view, code } = sidebar;
    await sidebar.task('Have a note written.', [
      call('new_task', { mode: 'code', message: 'Write note.txt', todos: '[ ] Write it\n[ ] Say so' }),
      call('write_to_file', { path: 'note.txt', content: 'from the subtask' }),
      call('attempt_completion', { result: 'note.txt is there' }),
      call('attempt_completion', { result: 'The note is written.' }),
    ]);
    await sidebar.approve('new_task');

    // What the subtask asks is seen from its parent.
    await sidebar.waiting('write_to_file');
    const card = view.getByTestId('subtask-card');
    assert.equal(await card.getAttribute('data-state'), 'waiting');
    await view.getByTestId('asking-subtask').waitFor();
    await code.screenshot('subtask-waits');

    // Into it, and back.
    await view.getByTestId('open-subtask').click();
    await view.getByTestId('to-parent').waitFor();
    await sidebar.cards('write_to_file', 'waiting').waitFor();
    await code.screenshot('subtask-inside');
    await view.getByTestId('to-parent').click();
    await card.waitFor();

    await code.killExtensionHost();
    await code.page.waitForTimeout(5000);
    await code.openSidebar();
    await sidebar.approve('write_to_file');
    assert.match(await sidebar.completion(), /The note is written/);
    assert.equal(workspace.read('note.txt'), 'from the subtask\n');
    assert.equal(await card.getAttribute('data-state'), 'done');
    await code.screenshot('subtask-returned');

    const [parent = [], child = [], ...others] = journals();
    assert.deepEqual(others, []);
    const finished = (entries: readonly JournalEntry[]): [string, string][] =>
      entries.flatMap((entry) =>
        entry.type === 'tool_finished' ? [[entry.tool, entry.outcome] as [string, string]] : [],
      );
    assert.deepEqual(
      [finished(parent), finished(child)],
      [
        [
          ['new_task', 'done'],
          ['attempt_completion', 'done'],
        ],
        [
          ['write_to_file', 'done'],
          ['attempt_completion', 'done'],
        ],
      ],
    );

    // In the history it stands below its parent.
    await code.palette('Lathe: History');
    const entries = view.getByTestId('history-item');
    await entries.nth(1).waitFor();
    assert.deepEqual(
      [await entries.nth(0).getAttribute('data-parent'), await entries.nth(1).getAttribute('data-parent')],
      [null, await entries.nth(0).getAttribute('data-task')],
    );
    await code.screenshot('subtask-history');
  });
});
