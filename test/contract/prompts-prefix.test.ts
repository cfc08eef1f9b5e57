import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel, xmlCall, type ReceivedRequest, type Reply } from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';

type Protocol = 'xml' | 'native';

function calling(protocol: Protocol, name: string, params: Record<string, string>): Reply {
  return protocol === 'xml'
    ? { text: xmlCall(name, params) }
    : { text: 'On it.', calls: [{ name, arguments: params }] };
}

/** The parts of a request in the order in which a cache sees them, without the marks that say where a cached part ends. */
function parts({ body }: ReceivedRequest): { head: string; messages: string[] } {
  const { messages, ...rest } = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  ) as { messages: unknown[] } & Record<string, unknown>;
  return { head: JSON.stringify(rest), messages: messages.map((message) => JSON.stringify(message)) };
}

describe('the prefix of a request', () => {
  let cwd: string;
  let model: ScriptedModel | undefined;
  let agent: TestAgent | undefined;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-prefix-'));
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.\n');
  });
  afterEach(async () => {
    await agent?.stop();
    await model?.stop();
    agent = model = undefined;
    rmSync(cwd, { recursive: true, force: true });
  });

  for (const provider of ['openai-compatible', 'anthropic'] as const)
    for (const protocol of ['xml', 'native'] as const)
      it(`is the same bytes from request to request and turn to turn (${provider}, ${protocol})`, async () => {
        model = await ScriptedModel.start([
          calling(protocol, 'read_file', { path: 'a.txt' }),
          calling(protocol, 'update_todo_list', { todos: '[-] read\n[ ] write' }),
          calling(protocol, 'write_to_file', { path: 'new.txt', content: 'new\n' }),
          calling(protocol, 'attempt_completion', { result: 'Written.' }),
          calling(protocol, 'read_file', { path: 'new.txt' }),
          calling(protocol, 'attempt_completion', { result: 'Read.' }),
        ]);
        agent = await TestAgent.start({
          cwd,
          profile: { provider, protocol, baseUrl: model.url },
          automatic: { edit: true },
        });
        const taskId = await agent.run('Go.');
        await agent.agent.dispatcher.call('task/send', { taskId, text: 'And again.' });
        await agent.ended(2);
        assert.equal(model.requests.length, 6);
        const [first, ...later] = model.requests.map(parts);
        assert.ok(first);
        assert.match(first.head + first.messages.join(''), /Use tabs\./);
        let before = first;
        for (const request of later) {
          assert.equal(request.head, before.head);
          assert.deepEqual(request.messages.slice(0, before.messages.length), before.messages);
          assert.ok(request.messages.length > before.messages.length);
          before = request;
        }
      });

  for (const provider of ['openai-compatible', 'anthropic'] as const)
    for (const protocol of ['xml', 'native'] as const)
      it(`changes once where it is condensed, and in nothing but its messages (${provider}, ${protocol})`, async () => {
        const summary = `Done: a.txt was read. ${'It holds one line. '.repeat(15)}`;
        model = await ScriptedModel.start([
          { ...calling(protocol, 'read_file', { path: 'a.txt' }), reasoning: 'Hm.' },
          calling(protocol, 'attempt_completion', { result: `Read. ${'All of it. '.repeat(2000)}` }),
          { text: summary },
          calling(protocol, 'read_file', { path: 'a.txt' }),
          calling(protocol, 'list_files', { path: '.' }),
          calling(protocol, 'attempt_completion', { result: 'Again.' }),
        ]);
        agent = await TestAgent.start({ cwd, profile: { provider, protocol, baseUrl: model.url } });
        const taskId = await agent.run('Go.');
        await agent.agent.dispatcher.call('task/condense', { taskId });
        await agent.until(() => agent?.entries('context_condensed').length === 1, 'the summary');
        await agent.agent.dispatcher.call('task/send', { taskId, text: 'And again.' });
        await agent.ended(2);
        const [first, second, wish, ...after] = model.requests.map(parts);
        assert.ok(first && second && wish);
        for (const request of [second, wish, ...after]) assert.equal(request.head, first.head);
        assert.deepEqual(second.messages.slice(0, first.messages.length), first.messages);
        assert.deepEqual(wish.messages.slice(0, second.messages.length), second.messages);
        assert.equal(after.length, 3);
        assert.match(after[0]?.messages.join('') ?? '', /<summary>\\nDone: a\.txt was read/);
        for (const [index, request] of after.slice(1).entries()) {
          const before = after[index];
          assert.ok(before && request.messages.length > before.messages.length);
          assert.deepEqual(request.messages.slice(0, before.messages.length), before.messages);
        }
      });

  it('compactPrompt: the short prompt, its eight tools, and a refusal of any other', async () => {
    model = await ScriptedModel.start([
      calling('native', 'update_todo_list', { todos: '[ ] a' }),
      calling('native', 'attempt_completion', { result: 'Done.' }),
    ]);
    const home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    try {
      mkdirSync(join(home, 'rules'));
      writeFileSync(join(home, 'rules', 'mine.md'), 'Answer in verse.\n');
      agent = await TestAgent.start({
        cwd,
        home,
        profile: {
          provider: 'openai-compatible',
          protocol: 'native',
          compactPrompt: true,
          baseUrl: model.url,
        },
      });
      await agent.run('Go.');
      const request = model.requests[0];
      const { tools } = request?.body as { tools: { function: { name: string } }[] };
      assert.deepEqual(
        tools.map((tool) => tool.function.name),
        [
          'read_file',
          'list_files',
          'search_files',
          'write_to_file',
          'apply_diff',
          'execute_command',
          'ask_followup_question',
          'attempt_completion',
        ],
      );
      assert.match(request?.text ?? '', /# Example[^]*Answer in verse\./);
      assert.deepEqual(
        agent.results().map(({ tool, outcome }) => [tool, outcome]),
        [
          ['update_todo_list', 'failed'],
          ['attempt_completion', 'done'],
        ],
      );
    } finally {
      await agent?.stop();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
