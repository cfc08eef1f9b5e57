import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });

/** Pixels that heights of lines may differ by between two drawings. */
const NEAR = 4;

describe('windows that come and go, in a real VS Code', () => {
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

  it('one task in two: the second reads along, says where it runs, and changes nothing', async () => {
    await sidebar.task('Write a note.', [
      call('write_to_file', { path: 'note.txt', content: 'from the first window' }),
      call('attempt_completion', { result: 'it is written' }),
    ]);
    await sidebar.waiting('write_to_file');
    const second = await sidebar.code.anotherWindow();
    const view = await second.openSidebar();
    await second.palette('Lathe: History');
    await view.getByTestId('open-task').getByText('Write a note.').first().click();
    const elsewhere = view.getByTestId('elsewhere');
    await elsewhere.waitFor();
    assert.match(await elsewhere.innerText(), /running in another window \(process \d+ on .+\)/);
    assert.equal(await view.getByTestId('approval').count(), 0);
    await second.screenshot('two-windows');

    assert.equal(await second.offers('Lathe: Stop'), false, 'it is not this window that could stop it');
    await view.getByTestId('composer').fill('me too');
    await view.getByTestId('composer').press('Enter');
    await sleep(1000);
    assert.equal(await view.getByTestId('composer').inputValue(), 'me too', 'it is given back');
    assert.equal(workspace.exists('note.txt'), false);

    await sidebar.approve('write_to_file');
    assert.match(await sidebar.completion(), /it is written/);
    await view.getByTestId('completion').getByText('it is written').waitFor();
    await elsewhere.waitFor({ state: 'detached' });
    assert.equal(workspace.read('note.txt'), 'from the first window\n');

    sidebar.answer([call('attempt_completion', { result: 'gone on in the second' })]);
    await view.getByTestId('composer').press('Enter');
    await view.getByText('gone on in the second').first().waitFor();
    await sidebar.view.getByText('gone on in the second').first().waitFor();
    await second.page.close();
  });

  it('where one reads, what waits and what is being written are as they were: view hidden, window reloaded, host killed', async function () {
    this.timeout(300_000);
    const paragraphs = Array.from(
      { length: 60 },
      (_, index) => `Paragraph ${index + 1} of 60 goes on for longer than the sidebar is wide.`,
    );
    await sidebar.task('Read it to me, then write it down.', [
      {
        text: `${paragraphs.join('\n\n')}\n\n${xmlCall('write_to_file', { path: 'read.txt', content: 'read' })}`,
      },
      call('attempt_completion', { result: 'read and written' }),
    ]);
    await sidebar.waiting('write_to_file');
    const { code, view, composer } = sidebar;
    const transcript = view.getByTestId('transcript');
    const passage = view.getByText('Paragraph 20 of 60');
    /** Pixels from the top of what is seen to the passage. */
    const place = async (): Promise<number | undefined> => {
      const [outer, inner] = [await transcript.boundingBox(), await passage.boundingBox()];
      return outer && inner ? inner.y - outer.y : undefined;
    };
    await transcript.hover();
    for (let turn = 0; turn < 60 && ((await place()) ?? -1) < 0; turn++) await code.page.mouse.wheel(0, -300);
    await composer.fill('half an answer');
    await view.getByTestId('pill').waitFor();
    const before = (await place()) ?? NaN;
    assert.ok(before >= 0, 'the passage is in sight');
    // The place and the draft are written down when neither has changed for a moment.
    await sleep(1500);

    const sameAsBefore = async (what: string): Promise<void> => {
      await sidebar.waiting('write_to_file');
      let now: number | undefined;
      for (let attempt = 0; attempt < 100; attempt++) {
        now = await place();
        if (now !== undefined && Math.abs(now - before) <= NEAR) break;
        await sleep(100);
      }
      assert.ok(now !== undefined && Math.abs(now - before) <= NEAR, `${what}: ${now} instead of ${before}`);
      assert.equal(await composer.inputValue(), 'half an answer', what);
    };
    await code.page.locator('.activitybar [aria-label^="Explorer"]').first().click();
    await view.getByTestId('transcript').waitFor({ state: 'hidden' });
    await code.openSidebar();
    await sameAsBefore('view hidden and shown');

    await code.open();
    await code.openSidebar();
    await sameAsBefore('window reloaded');

    await code.killExtensionHost();
    await code.openSidebar();
    await sameAsBefore('host killed');
    await view.getByTestId('pill').click();
    await sidebar.cards('write_to_file', 'waiting').waitFor();

    await composer.fill('');
    await sidebar.approve('write_to_file');
    assert.match(await sidebar.completion(), /read and written/);
    assert.equal(workspace.read('read.txt'), 'read\n');
  });

  it('what was being written survives a crash of host and page', async () => {
    await sidebar.code.palette('Lathe: New Task');
    await sidebar.view.getByTestId('empty').waitFor();
    await sidebar.composer.fill('a long thought that nobody wants to write twice');
    await sleep(1000);
    await sidebar.code.killExtensionHost();
    await sidebar.code.crash();
    const view = await sidebar.code.openSidebar();
    await sidebar.code.palette('Lathe: New Task');
    await view.getByTestId('empty').waitFor();
    assert.equal(
      await view.getByTestId('composer').inputValue(),
      'a long thought that nobody wants to write twice',
    );
  });
});
