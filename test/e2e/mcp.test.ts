import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { stubEntry } from '../services/mcp/hubBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const done = { text: xmlCall('attempt_completion', { result: 'Seen.' }) };
const everything = {
  text: xmlCall('use_mcp_tool', { server_name: 'stub', tool_name: 'everything', arguments: '{}' }),
};

describe('MCP servers, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  it('one is added and agreed to, called after a yes, its picture seen; its prompt and resource go with a message', async () => {
    workspace = Workspace.withFiles({
      '.lathe/mcp.json': JSON.stringify({ mcpServers: { theirs: stubEntry({}, { env: { KEY: 'value' } }) } }),
    });
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
    const { code, view, composer, home, model } = sidebar;
    const { keyboard } = code.page;
    const dialog = code.page.locator('.monaco-dialog-box');
    const answer = async (button: string): Promise<string> => {
      await dialog.waitFor();
      const said = await dialog.innerText();
      await dialog.getByRole('button', { name: button, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      return said;
    };
    const server = (name: string): Locator =>
      view.getByTestId('server').and(view.locator(`[data-server="${name}"]`));
    const isReady = async (name: string): Promise<void> =>
      await server(name).and(view.locator('[data-state="ready"]')).waitFor();

    // The project's own server waits, and says so above the conversation.
    await view.getByTestId('servers-wait').getByRole('button').click();
    await server('theirs').getByTestId('consent').waitFor();
    await code.screenshot('mcp-consent');
    await server('theirs').getByTestId('consent-yes').click();
    assert.match(await answer('Cancel'), /stubServer\.mjs[^]*KEY[^]*\.lathe\/mcp\.json/);
    assert.equal(await server('theirs').getAttribute('data-state'), 'needs_consent');
    await server('theirs').getByTestId('consent-yes').click();
    await answer('Allow');
    await isReady('theirs');

    // One of the person's own, written on the screen.
    await view.getByTestId('mcp-add').click();
    await view.getByTestId('server-name').fill('stub');
    await view.getByTestId('server-entry').fill(JSON.stringify(stubEntry()));
    await code.screenshot('mcp-add');
    await view.getByTestId('server-save').click();
    await dialog.waitFor();
    await code.screenshot('mcp-dialog');
    assert.match(await answer('Allow'), /Let the MCP server stub run this program\?/);
    await isReady('stub');
    await server('stub').getByTestId('server-open').click();
    await view.getByTestId('server-tool').first().waitFor();
    await code.screenshot('mcp-server');
    const written = JSON.parse(readFileSync(join(home, 'mcp.json'), 'utf8')) as unknown;
    assert.deepEqual(written, { mcpServers: { stub: stubEntry() } });

    // A call that asks, with a picture that a model without eyes is not sent.
    await sidebar.task('What does it show?', [everything, done]);
    const approval = await sidebar.waiting('use_mcp_tool');
    assert.match(await approval.innerText(), /everything of the MCP server stub/);
    await code.screenshot('mcp-approval');
    await sidebar.approve('use_mcp_tool');
    const picture = sidebar.cards('use_mcp_tool', 'done').locator('img.result-image');
    await picture.waitFor();
    assert.match(await sidebar.completion(), /Seen/);
    assert.match((await picture.getAttribute('src')) ?? '', /^data:image\/png;base64,iVBOR/);
    await picture.scrollIntoViewIfNeeded();
    await code.screenshot('mcp-picture');
    assert.match(sidebar.result(0), /words red[^]*\.png\]/);

    // A prompt by its name, with a resource beside it.
    await code.palette('Lathe: New Task');
    await view.getByTestId('empty').waitFor();
    const option = view.getByTestId('completion-option');
    await composer.click();
    await keyboard.type('/stub:gr');
    await option.getByText('/stub:greet <who>').waitFor();
    await keyboard.press('Enter');
    await keyboard.type('World @stub:no');
    await option.getByText('stub:stub://note', { exact: true }).waitFor();
    await code.screenshot('mcp-mention');
    await keyboard.press('Enter');
    assert.equal(await composer.inputValue(), '/stub:greet World @stub:stub://note ');
    sidebar.answer([done]);
    await keyboard.press('Enter');
    assert.match(await sidebar.completion(), /Seen/);
    const said = model.requests.at(-1)?.text ?? '';
    assert.match(said, /Greet World/);
    assert.match(
      said,
      /<mentioned kind=\\"resource\\" server=\\"stub\\" uri=\\"stub:\/\/note\\"[^>]*>\\na note/,
    );
    await view.getByTestId('sent-context').getByText('note').waitFor();
    await code.screenshot('mcp-sent');
  });
});
