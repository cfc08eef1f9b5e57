import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserProcesses, remainingProcesses, sandbox } from '../support/browserProcesses.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { WebSite } from '../support/WebSite.ts';
import { Sidebar } from './support/Sidebar.ts';
import { RESULTS } from './support/VsCode.ts';
import { Workspace } from './support/Workspace.ts';

const SHOP = `<!doctype html><title>Shop</title>
<style>
  body { font: 20px sans-serif; margin: 40px; background: #fdf6e3 }
  h1 { color: #268bd2 } input, button { position: absolute; font: inherit; height: 50px; box-sizing: border-box }
  input { left: 40px; top: 120px; width: 300px } button { left: 360px; top: 120px; width: 160px; background: #b58900; color: white }
  ul { position: absolute; top: 190px }
</style>
<h1>Shopping list</h1><input placeholder="What to buy"><button>Add</button><ul></ul>
<script>
  const [input] = document.getElementsByTagName('input');
  const add = () => {
    const item = document.createElement('li');
    item.textContent = input.value;
    document.querySelector('ul').append(item);
    console.log('added', input.value);
    document.title = 'Shop (' + document.querySelectorAll('li').length + ')';
    input.value = '';
  };
  document.querySelector('button').onclick = add;
  input.onkeydown = ({ key }) => {
    if (key === 'Enter') add();
  };
</script>`;

const xml = (params: Record<string, string>): Reply => ({ text: xmlCall('browser_action', params) });
const native = (params: Record<string, string>): Reply => ({
  calls: [{ name: 'browser_action', arguments: params }],
});

describe('the browser, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace;
  let site: WebSite;

  before(async () => {
    site = await WebSite.start({ '/': SHOP, '/silent': () => undefined });
  });
  after(async () => {
    await site.stop();
  });
  beforeEach(() => {
    workspace = Workspace.ofSample();
  });
  afterEach(async () => {
    await sidebar?.close();
    sidebar = undefined;
    workspace.remove();
  });

  const open = async (
    provider: 'anthropic' | 'openai-compatible',
    protocol: 'xml' | 'native',
  ): Promise<Sidebar> => {
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider,
      protocol,
      modelName: 'scripted-vision-claude',
      settings: { 'lathe.browserSandbox': sandbox },
    });
    return sidebar;
  };

  it('a page is opened with a yes, used, seen in the sidebar and by the model, and saved (XML)', async () => {
    const used = await open('openai-compatible', 'xml');
    await used.task('Does the shopping list work?', [
      xml({ action: 'launch', url: site.url() }),
      xml({ action: 'click', coordinate: '190,145' }),
      xml({ action: 'type', text: 'Bread' }),
      xml({ action: 'press', text: 'Enter' }),
      xml({ action: 'type', text: 'Cheese & wine' }),
      xml({ action: 'click', coordinate: '440,145' }),
      xml({ action: 'screenshot', path: 'shots/list.png' }),
      xml({ action: 'close' }),
      { text: xmlCall('attempt_completion', { result: 'Both ways of adding work.' }) },
    ]);
    const approval = await used.waiting('browser_action');
    assert.match(await approval.innerText(), new RegExp(site.url().replaceAll('.', '\\.')));
    await used.code.screenshot('browser-asks');
    assert.deepEqual(site.requests, []);
    await used.approve('browser_action');
    // Writing the picture is another question.
    const save = await used.waiting('browser_action');
    assert.match(await save.innerText(), /list\.png/);
    const picture = used.view.locator('[data-tool="browser_action"] img.result-image').last();
    await picture.waitFor();
    await used.code.screenshot('browser-shown');
    await used.approve('browser_action');
    assert.match(await used.completion(), /Both ways/);
    await used.code.screenshot('browser-done');

    assert.deepEqual(
      used.outcomes().map(([, outcome]) => outcome),
      Array(9).fill('done'),
    );
    assert.match(used.result(3), /Title: Shop \(1\)\nConsole:\nlog: added Bread/);
    assert.match(used.result(5), /Title: Shop \(2\)\nConsole:\nlog: added Cheese & wine/);
    const file = join(workspace.folder, 'shots', 'list.png');
    assert.ok(existsSync(file));
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'browser-page.png'), workspace.bytes('shots/list.png'));
    const last = used.model.requests.at(-1);
    assert.equal((last?.raw ?? '').split('data:image/webp;base64,').length - 1, 6);
  });

  it('stopping the task ends the browser; so does the end of the extension host (native)', async () => {
    const used = await open('anthropic', 'native');
    await used.task('Look at it.', [
      native({ action: 'launch', url: site.url() }),
      native({ action: 'navigate', url: site.url('/silent') }),
    ]);
    await used.approve('browser_action');
    const host = await used.code.extensionHost();
    await site.asked('/silent', 1);
    assert.ok(browserProcesses(host).length > 0);
    await used.code.palette('Lathe: Stop');
    await used.state('cancelled');
    assert.deepEqual(await remainingProcesses(host), []);

    await used.task('Look at it again.', [
      native({ action: 'launch', url: site.url() }),
      native({ action: 'navigate', url: site.url('/silent') }),
    ]);
    await used.approve('browser_action');
    await site.asked('/silent', 2);
    assert.ok(browserProcesses(host).length > 0);
    await used.code.killExtensionHost();
    assert.deepEqual(await remainingProcesses(host), []);
  });
});
