import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

describe('condensing in the sidebar of a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  it('by the task line: stopped once, then done; the next request begins with the summary', async () => {
    workspace = Workspace.ofSample();
    writeFileSync(join(workspace.folder, 'long.txt'), 'the colour is blue\n'.repeat(400));
    const summary = `Task: find the colour. State: long.txt is read, the colour is blue. ${'Nothing else was found. '.repeat(6)}`;
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
    await sidebar.task('Which colour is it?', [
      { text: xmlCall('read_file', { path: 'long.txt' }) },
      { text: xmlCall('attempt_completion', { result: 'It is blue.' }) },
    ]);
    await sidebar.completion();
    const { view } = sidebar;

    sidebar.answer([{ text: summary, stallAfter: 2 }]);
    await view.getByTestId('condense').click();
    await view.getByTestId('working').getByText('Condensing the conversation…').waitFor();
    await view.getByTestId('stop').click();
    await view.getByTestId('working').waitFor({ state: 'detached' });
    assert.ok(!sidebar.journal().some(({ type }) => type === 'context_condensed'));

    sidebar.answer([{ text: summary }]);
    await view.getByTestId('condense').click();
    const row = view.getByRole('button', { name: /^Condensed: .+ → .+ tokens$/ });
    await row.click();
    await view.getByText('Task: find the colour.').waitFor();
    await sidebar.state('completed');

    sidebar.answer([{ text: xmlCall('attempt_completion', { result: 'Blue, as before.' }) }]);
    await sidebar.send('Say it again.');
    await view.getByText('Blue, as before.').first().waitFor();
    const asked = JSON.stringify(sidebar.model.requests.at(-1)?.body.messages);
    assert.match(asked, /Which colour is it\?.*Task: find the colour\..*Say it again\./s);
    assert.doesNotMatch(asked, /the colour is blue\\n/);
    assert.deepEqual(
      sidebar.journal().flatMap((entry) => (entry.type === 'context_condensed' ? [entry.by] : [])),
      ['person'],
    );
  });
});
