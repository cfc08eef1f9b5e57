import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { AgentBench } from '../support/AgentBench.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';

type Protocol = 'xml' | 'native';
const protocols = ['xml', 'native'] as const;

function calling(protocol: Protocol, name: string, params: Record<string, string>): Reply {
  return protocol === 'xml' ? { text: xmlCall(name, params) } : { calls: [{ name, arguments: params }] };
}

describe('tools called by other names', () => {
  const bench = new AgentBench({ 'a.txt': 'one\n' });

  for (const protocol of protocols) {
    it(`are the tools for the person, and keep their names for the model (${protocol})`, async () => {
      const asked: ApprovalRequest[] = [];
      const tests = await bench.start(
        [
          calling(protocol, 'write_file', { path: 'a.txt', content: 'two\n', mode: 'append' }),
          calling(protocol, 'exec', { command: 'node -e "setTimeout(() => 0, 60000)"', timeout: '1' }),
          calling(protocol, 'list_dir', { path: '.' }),
          calling(protocol, 'attempt_completion', { result: 'Done.' }),
        ],
        {
          profile: { provider: 'openai-compatible', protocol },
          answer: (request) => {
            asked.push(request);
            return { outcome: 'allow' };
          },
        },
      );
      await tests.run('Go');
      const ours = ['write_to_file', 'execute_command', 'list_files', 'attempt_completion'];
      assert.equal(readFileSync(join(bench.cwd, 'a.txt'), 'utf8'), 'one\ntwo\n');
      assert.deepEqual(
        tests.results().map(({ tool, outcome }) => [tool, outcome]),
        ours.map((tool) => [tool, 'done']),
      );
      assert.match(tests.results()[1]!.text, /Stopped after 1 seconds/);
      assert.deepEqual(
        asked.map((request) => (request.reason === 'tool' ? [request.tool, request.actions[0]?.type] : [])),
        [
          ['write_to_file', 'edit'],
          ['execute_command', 'command'],
        ],
      );
      assert.deepEqual(
        tests
          .entries('assistant_message')
          .flatMap(({ content }) =>
            content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.calledAs]] : [])),
          ),
        [
          ['write_to_file', 'write_file'],
          ['execute_command', 'exec'],
          ['list_files', 'list_dir'],
          ['attempt_completion', undefined],
        ],
      );
      // Previews know the tool already.
      assert.deepEqual(
        tests.events.flatMap((event) =>
          event.kind === 'delta' && event.delta.type === 'block' && event.delta.delta.type === 'tool_started'
            ? [event.delta.delta.name]
            : [],
        ),
        ours,
      );
      const last = bench.model.requests.at(-1)!;
      const messages = last.body.messages as {
        role: string;
        content: unknown;
        tool_calls?: { function: { name: string } }[];
      }[];
      const said = messages.flatMap(({ role, content, tool_calls: calls }) =>
        role === 'assistant' ? [calls?.map((call) => call.function.name) ?? content] : [],
      );
      assert.deepEqual(
        said,
        protocol === 'native'
          ? [['write_file'], ['exec'], ['list_dir']]
          : [
              '<write_file>\n<path>a.txt</path>\n<content>\ntwo\n\n</content>\n<mode>append</mode>\n</write_file>',
              '<exec>\n<command>node -e "setTimeout(() => 0, 60000)"</command>\n<timeout>1</timeout>\n</exec>',
              '<list_dir>\n<path>.</path>\n</list_dir>',
            ],
      );
      const offered = (last.body.tools ?? []) as { function: { name: string } }[];
      for (const name of ['write_file', 'exec', 'list_dir'])
        assert.ok(!offered.some((tool) => tool.function.name === name));
    });

    it(`open no door that a mode keeps shut (${protocol})`, async () => {
      const tests = await bench.start(
        [
          calling(protocol, 'write_file', { path: 'b.txt', content: 'x' }),
          calling(protocol, 'exec', { command: 'touch c.txt' }),
          calling(protocol, 'attempt_completion', { result: 'Done.' }),
        ],
        {
          profile: { provider: 'openai-compatible', protocol },
          automatic: { all: true },
        },
      );
      await tests.run('Go', 'architect');
      const [write, exec] = tests.results();
      assert.deepEqual([write?.tool, write?.outcome], ['write_to_file', 'failed']);
      assert.match(write!.text, /b\.txt/);
      assert.deepEqual([exec?.tool, exec?.outcome], ['execute_command', 'failed']);
      assert.match(exec!.text, /execute_command is not allowed in Architect mode/);
      assert.ok(!existsSync(join(bench.cwd, 'b.txt')) && !existsSync(join(bench.cwd, 'c.txt')));
    });
  }
});
