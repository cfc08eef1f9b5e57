import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  browserProcesses,
  remainingProcesses,
  remainingProfiles,
  sandbox,
} from '../support/browserProcesses.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';
import { WebSite } from '../support/WebSite.ts';

type Call = [name: string, params: Record<string, string>];

describe('a turn that uses the browser', function () {
  this.timeout(60_000);
  let site: WebSite;
  let other: WebSite;
  let cwd: string;
  let model: ScriptedModel | undefined;
  let agent: TestAgent | undefined;

  before(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-browser-turn-'));
    other = await WebSite.start({ '/': '<title>Other</title>' });
    site = await WebSite.start({
      '/': '<title>Home</title><script>console.log("ready")</script>',
      '/silent': () => undefined,
    });
  });
  afterEach(async () => {
    await agent?.stop();
    await model?.stop();
    agent = model = undefined;
    assert.deepEqual([await remainingProcesses(), await remainingProfiles()], [[], []]);
  });
  after(async () => {
    await site.stop();
    await other.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const start = async (
    protocol: 'xml' | 'native',
    turns: Turn[],
    options: Partial<TestAgentOptions>,
  ): Promise<TestAgent> => {
    model = await ScriptedModel.start(turns);
    agent = await TestAgent.start({
      cwd,
      profile: { provider: 'anthropic', protocol, model: 'claude-sonnet-4-5', baseUrl: model.url },
      settings: { browserSandbox: sandbox },
      ...options,
    });
    return agent;
  };
  const native = (...calls: Call[]): Turn => ({
    calls: calls.map(([name, args]) => ({ name, arguments: args })),
  });
  const launch = (url: string): Call => ['browser_action', { action: 'launch', url }];
  const press: Call = ['browser_action', { action: 'press', text: 'End' }];
  const done: Call = ['attempt_completion', { result: 'Looked.' }];
  const outcomes = (running: TestAgent): string[] => running.results().map(({ outcome }) => outcome);
  /** Says yes, and notes what was asked. */
  const person = (): { asked: unknown[]; answer: NonNullable<TestAgentOptions['answer']> } => {
    const asked: unknown[] = [];
    return {
      asked,
      answer: (request) => {
        // A completion is accepted; what goes wrong is not tried again for ever.
        if (request.reason === 'request_failed') return { outcome: 'reject' };
        if (request.reason === 'tool')
          asked.push([
            request.actions.map((action) => (action.type === 'browse' ? action.site : action.type)),
            request.why.map(({ key }) => key),
            request.dangerous,
          ]);
        return { outcome: 'allow', optionId: 'allow_once' };
      },
    };
  };

  for (const protocol of ['xml', 'native'] as const)
    it(`${protocol}: asks for a site once, shows the model the picture, and ends the browser with the turn`, async () => {
      const say = (call: Call): Turn => (protocol === 'native' ? native(call) : { text: xmlCall(...call) });
      const pictures: number[] = [];
      const { asked, answer } = person();
      const running = await start(
        protocol,
        [
          say(launch(site.url())),
          say(press),
          (request) => {
            // Base64 of RIFF, with which every such picture begins.
            pictures.push(request.raw.split('"UklGR').length - 1);
            return say(done) as Exclude<Turn, (...all: never[]) => unknown>;
          },
        ],
        { answer },
      );
      await running.run('Look at it.');
      assert.deepEqual(outcomes(running), ['done', 'done', 'done']);
      assert.deepEqual(pictures, [2]);
      assert.deepEqual(asked, [[[`127.0.0.1:${site.port}`], ['why.browse'], false]]);
      assert.deepEqual([browserProcesses(), running.errors], [[], []]);
    });

  it('automatic: the first site opens by itself, another asks once a page was read', async () => {
    const { asked, answer } = person();
    const running = await start(
      'native',
      [native(launch(site.url())), native(press), native(launch(other.url())), native(done)],
      { answer, automatic: { browser: true } },
    );
    await running.run('Look at both.');
    assert.deepEqual(outcomes(running), ['done', 'done', 'done', 'done']);
    assert.deepEqual(asked, [[[`127.0.0.1:${other.port}`], ['why.afterUntrusted'], false]]);
  });

  it('runs one step of a message; the browser may be closed after it', async () => {
    const { answer } = person();
    const running = await start(
      'native',
      [native(launch(site.url()), press, ['browser_action', { action: 'close' }]), native(done)],
      { answer },
    );
    await running.run('Look at it.');
    assert.deepEqual(outcomes(running), ['done', 'failed', 'done', 'done']);
    assert.match(running.results()[1]?.text ?? '', /One browser_action a message/);
  });

  it('unattended, what asks is refused, and no browser starts', async () => {
    const running = await start('native', [native(launch(site.url())), native(done)], {});
    await running.run('Look at it.');
    assert.deepEqual(outcomes(running), ['rejected', 'done']);
    assert.deepEqual(browserProcesses(), []);
  });

  it('is stopped in the middle of a step with its browser', async () => {
    const { answer } = person();
    const running = await start('native', [native(launch(site.url('/silent')))], { answer });
    const { taskId } = await running.agent.dispatcher.call('task/create', { text: 'Look at it.' });
    await running.until(() => site.requests.at(-1) === '/silent', 'the request for the page');
    await running.agent.dispatcher.call('task/cancel', { taskId });
    assert.deepEqual(outcomes(running), ['stopped']);
    assert.deepEqual(await remainingProcesses(), []);
  });

  it('is refused in a mode without the browser', async () => {
    const { answer } = person();
    const running = await start('native', [native(launch(site.url())), native(done)], { answer });
    await running.run('Look at it.', 'orchestrator');
    assert.deepEqual(outcomes(running), ['failed', 'done']);
    assert.match(running.results()[0]?.text ?? '', /browser_action is not allowed in Orchestrator mode/);
  });
});
