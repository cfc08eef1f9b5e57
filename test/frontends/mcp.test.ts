import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { mcpScenes, server, tickets } from './mcpScenes.ts';
import { Refusal, ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';

describe('MCP servers in the sidebar, in a browser', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async () => {
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    const complaints = sidebar?.complaints ?? [];
    await sidebar?.close();
    sidebar = undefined;
    assert.deepEqual(complaints, []);
  });
  after(async () => {
    await harness.stop();
  });

  async function open(agent: ScriptedAgent): Promise<Sidebar> {
    sidebar = await harness.open(agent);
    return sidebar;
  }
  async function screen(agent: ScriptedAgent): Promise<Sidebar> {
    const opened = await open(agent);
    await agent.notify('editor/command', { command: 'mcp' });
    await opened.byTest('mcp').waitFor();
    return opened;
  }
  const scene = async (name: string): Promise<ScriptedAgent> => {
    const agent = new ScriptedAgent();
    await mcpScenes.find((one) => one.name === name)?.prepare(agent);
    return agent;
  };

  it('adds a server: what is refused is said and stays written, what is saved is listed', async () => {
    const agent = new ScriptedAgent();
    let refuse = true;
    agent.answers.set('mcp/save', ({ name }) => {
      if (refuse) throw new Refusal({ code: 'invalid_params', message: { key: 'mcp.entry.notConfirmed' } });
      agent.servers = { ...agent.servers, servers: [server(String(name), { type: 'connecting' })] };
      return {};
    });
    const { byTest, frame } = await screen(agent);
    await byTest('mcp-add').click();
    assert.equal(await byTest('server-save').isDisabled(), true);
    await byTest('server-name').fill('memory');
    await byTest('server-entry').fill('{ "command": "memory" }');
    await byTest('server-save').click();
    await byTest('server-form-problem')
      .getByText(/Nothing was saved/)
      .waitFor();
    assert.equal(await byTest('server-entry').inputValue(), '{ "command": "memory" }');
    refuse = false;
    await byTest('server-save').click();
    await byTest('server').getByText('Connecting').waitFor();
    assert.deepEqual(agent.of('mcp/save'), [
      { name: 'memory', text: '{ "command": "memory" }' },
      { name: 'memory', text: '{ "command": "memory" }' },
    ]);
    // What becomes of it is told.
    agent.servers = { ...agent.servers, servers: [server('memory', { type: 'ready' })] };
    await agent.notify('mcp/changed', {});
    await byTest('server').getByText('Ready').waitFor();
    assert.equal(await frame.locator('[data-state=ready]').count(), 1);
  });

  it('changes and removes one where it stands; removing asks first', async () => {
    const agent = await scene('mcp-remove');
    agent.answers.set('mcp/entry', () => ({
      source: { kind: 'user', path: '/home/person/mcp.json' },
      text: '{ "command": "old" }',
    }));
    const { byTest, frame } = await screen(agent);
    const act = async (name: string): Promise<void> => {
      await byTest('server-actions').click();
      await frame.getByRole('menuitem', { name, exact: true }).click();
    };
    await act('Change');
    await frame.getByText('/home/person/mcp.json').waitFor();
    assert.equal(await byTest('server-entry').inputValue(), '{ "command": "old" }');
    await byTest('server-entry').fill('{ "command": "new" }');
    await byTest('server-save').click();
    assert.deepEqual(await agent.called('mcp/save'), {
      ...{ name: 'memory', server: 'memory', text: '{ "command": "new" }' },
    });
    await act('Remove');
    await frame.getByRole('button', { name: 'Keep' }).click();
    await act('Remove');
    await frame.getByRole('button', { name: 'Remove', exact: true }).click();
    assert.deepEqual(await agent.called('mcp/remove'), { server: 'memory' });
    await act('Restart');
    assert.deepEqual(await agent.called('mcp/restart'), { server: 'memory' });
    await act('Switch off');
    assert.deepEqual(await agent.called('mcp/setDisabled'), { server: 'memory', disabled: true });
  });

  it('a yes is given to what is shown, not in its first moments, and its waiting is told above the conversation', async () => {
    const agent = await scene('mcp-consent');
    agent.answers.set('mcp/consent', () => ({ given: false }));
    const { byTest } = await open(agent);
    await byTest('servers-wait').getByText('2 MCP servers wait for your yes').click();
    await byTest('mcp').waitFor();
    assert.match(await byTest('consent-command').first().innerText(), /"a b" "x\\u\{202e\}y"$/);
    await byTest('consent-yes').first().click();
    assert.deepEqual(await agent.called('mcp/consent'), { server: 'database', hash: 'run' });
    // Another command under the same name is another question.
    const [first, ...others] = agent.servers.servers;
    assert.ok(first?.consent);
    const target = { type: 'command' as const, command: 'npx', args: ['other'], cwd: '/', environment: [] };
    agent.servers = {
      ...agent.servers,
      servers: [{ ...first, consent: { ...first.consent, hash: 'other', target } }, ...others],
    };
    await agent.notify('mcp/changed', {});
    await byTest('consent-command').first().getByText('npx other').waitFor();
    await byTest('consent-yes').first().click();
    assert.deepEqual(await agent.called('mcp/consent', 2), { server: 'database', hash: 'other' });
    await byTest('consent').first().getByRole('button', { name: 'Switch off' }).click();
    assert.deepEqual(await agent.called('mcp/setDisabled'), { server: 'database', disabled: true });
  });

  it('tools have their switches, where the person may switch them', async () => {
    const agent = await scene('mcp-server');
    const { byTest } = await screen(agent);
    await byTest('server-open').click();
    const tool = (name: string) => byTest('server-tool').and(byTest('mcp').locator(`[data-tool=${name}]`));
    await tool('find_ticket')
      .getByTestId('tool-enabled')
      .uncheck({ force: true, noWaitAfter: true })
      .catch(onlyUnchanged);
    assert.deepEqual(await agent.called('mcp/setTool'), {
      server: 'tickets',
      tool: 'find_ticket',
      enabled: false,
    });
    await tool('close_ticket').getByTestId('tool-automatic').check({ force: true }).catch(onlyUnchanged);
    assert.deepEqual(await agent.called('mcp/setTool', 2), {
      ...{ server: 'tickets', tool: 'close_ticket', automatic: true },
    });
    assert.equal(
      await tool('find_ticket').getByTestId('own-icon').getAttribute('src'),
      tickets.tools[0]?.icon,
    );
    assert.equal(await byTest('own-icon').count(), 2);
    assert.equal(await tool('pay').getByTestId('tool-automatic').isDisabled(), true);
    agent.servers = {
      ...agent.servers,
      servers: [{ ...tickets, source: { kind: 'project', path: '/work/shop/.lathe/mcp.json' } }],
    };
    await agent.notify('mcp/changed', {});
    await until(async () => (await byTest('tool-automatic').count()) === 0);
    assert.equal(await byTest('tool-enabled').count(), 3);
  });

  it('prompts and resources are offered as one writes, and what a server knows of a prompt’s values', async () => {
    const agent = await scene('mcp-prompts');
    agent.answers.set('mcp/complete', ({ value }) => ({
      values: ['bug', 'good first issue'].filter((one) => one.startsWith(String(value))),
    }));
    const { byTest, page } = await open(agent);
    const composer = byTest('composer');
    const options = (): Promise<string[]> => byTest('completions').getByRole('option').allInnerTexts();
    await composer.pressSequentially('/tickets:');
    await byTest('completions').getByText('/tickets:triage <label> [since]').waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await composer.inputValue(), '/tickets:triage ');
    await byTest('completions').getByText('good first issue').waitFor();
    assert.deepEqual(await agent.called('mcp/complete'), {
      ...{ server: 'tickets', prompt: 'triage', argument: 'label', value: '', given: {} },
    });
    await composer.pressSequentially('goo');
    await until(async () => (await options()).length === 1);
    await page.keyboard.press('Tab');
    assert.equal(await composer.inputValue(), '/tickets:triage "good first issue" ');
    await composer.pressSequentially('since=b');
    await byTest('completions').getByText('bug').waitFor();
    assert.deepEqual(agent.of('mcp/complete').at(-1), {
      ...{ server: 'tickets', prompt: 'triage', argument: 'since', value: 'b' },
      given: { label: 'good first issue' },
    });
    await composer.fill('');
    await composer.pressSequentially('See @open');
    await byTest('completions').getByText('Open tickets').waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await composer.inputValue(), 'See @tickets:tickets://open ');
    assert.equal(await byTest('chip').getAttribute('title'), 'tickets:tickets://open');
    await composer.pressSequentially('@tickets:tickets://t');
    await byTest('completions').getByText('ticket', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await composer.inputValue(), 'See @tickets:tickets://open @tickets:tickets://ticket/');
  });

  it('what a server knows of a resource template’s variables is offered, one after the other', async () => {
    const agent = await scene('mcp-resources');
    const { servers } = agent.servers;
    const uriTemplate = 'tickets://{shop}/notes/{+path}';
    agent.servers = {
      ...agent.servers,
      servers: servers.map((one) => ({
        ...one,
        resourceTemplates: [...one.resourceTemplates, { uriTemplate, name: 'note' }],
      })),
    };
    const known: Readonly<Record<string, string[]>> = { shop: ['north', 'south & east'], path: ['a/b c'] };
    agent.answers.set('mcp/completeResource', ({ variable, value }) => ({
      values: (known[String(variable)] ?? []).filter((one) => one.startsWith(String(value))),
    }));
    const { byTest, page } = await open(agent);
    const composer = byTest('composer');
    await composer.pressSequentially('See @tickets:tickets://so');
    await byTest('completions').getByText('south & east').waitFor();
    const place = { server: 'tickets', uriTemplate };
    assert.deepEqual(agent.of('mcp/completeResource').at(-1), {
      ...{ ...place, variable: 'shop', value: 'so', given: {} },
    });
    await page.keyboard.press('Enter');
    assert.equal(await composer.inputValue(), 'See @tickets:tickets://south%20%26%20east/notes/');
    await byTest('completions').getByText('a/b c').waitFor();
    assert.deepEqual(agent.of('mcp/completeResource').at(-1), {
      ...{ ...place, variable: 'path', value: '', given: { shop: 'south & east' } },
    });
    await page.keyboard.press('Enter');
    const whole = 'tickets:tickets://south%20%26%20east/notes/a/b%20c';
    assert.equal(await composer.inputValue(), `See @${whole} `);
    assert.equal(await byTest('chip').getAttribute('title'), whole);
  });

  it('a picture that a server gave is seen, whatever the model sees; other parts open', async () => {
    const agent = await scene('mcp-call');
    const { byTest, frame, page } = await open(agent);
    const card = byTest('tool-card');
    await card.locator('img.result-image').waitFor();
    const width = (): Promise<unknown> =>
      page.evaluate('document.querySelector("img.result-image").naturalWidth');
    await until(async () => (await width()) === 8);
    await frame.getByRole('button', { name: 'sound' }).click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: '/work/shop/a.wav' });
  });
});

/** The box is what the agent says it is, which in these tests it does not. */
function onlyUnchanged(error: unknown): void {
  if (!(error instanceof Error && /did not change its state/.test(error.message))) throw error;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await condition()) return;
    await delay(25);
  }
  assert.fail('it never came to be so');
}
