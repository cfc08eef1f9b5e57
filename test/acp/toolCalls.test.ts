import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, DIFF, MENDED } from './support/AcpBench.ts';

const done = (result = 'Done.') => ({ text: xmlCall('attempt_completion', { result }) });
const edit = { text: `I mend it.\n\n${xmlCall('apply_diff', { path: 'sum.js', diff: DIFF })}` };
const command = (line: string) => ({ text: xmlCall('execute_command', { command: line }) });

describe('ACP: tool calls', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
  });

  it('T1: every call is reported with its kind, title, place and input', async () => {
    const client = await bench.start([{ text: xmlCall('read_file', { path: 'sum.js' }) }, done()]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'look'), 'end_turn');
    const [id = ''] = client.calls();
    const { content, rawOutput, sessionUpdate, ...call } = client.call(id);
    assert.equal(sessionUpdate, 'tool_call_update');
    assert.match(JSON.stringify(content), /a - b/);
    assert.deepEqual(rawOutput, { outcome: 'done' });
    assert.deepEqual(call, {
      toolCallId: id,
      title: 'Read sum.js',
      name: 'read_file',
      kind: 'read',
      status: 'completed',
      locations: [{ path: bench.file }],
      rawInput: { path: 'sum.js' },
    });
    assert.equal(client.text(), 'Done.');
  });

  it('T10: an edit is shown as a diff with an absolute path and whole texts', async () => {
    const client = await bench.start([edit, done()]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    const [permission] = client.permissions;
    const diff = [{ type: 'diff', path: bench.file, oldText: BUG, newText: MENDED }];
    assert.deepEqual(permission?.toolCall.content, diff);
    const [id = ''] = client.calls();
    assert.deepEqual(client.call(id).content, diff);
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
  });

  it('T9: a call is pending, in progress, and completed', async () => {
    const client = await bench.start([command('echo out'), done()]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'run'), 'end_turn');
    const [id = ''] = client.calls();
    assert.deepEqual(client.statuses(id), ['pending', 'in_progress', 'completed']);
    assert.match(JSON.stringify(client.call(id).content), /out/);
  });

  it('T11: a command runs in the client’s terminal, embedded before it is released', async () => {
    const client = await bench.start([command('echo from the terminal'), done()], {
      capabilities: { terminal: true },
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'run'), 'end_turn');
    const [id = ''] = client.calls();
    assert.deepEqual(client.call(id).content, [{ type: 'terminal', terminalId: 'terminal-1' }]);
    assert.deepEqual(client.asked(), [
      'session/request_permission',
      'terminal/create',
      'terminal/wait_for_exit',
      'terminal/output',
      'terminal/release',
    ]);
    const order = client.seen.flatMap((one) =>
      one.type === 'request'
        ? [one.method]
        : one.type === 'update' && JSON.stringify(one.update).includes('"terminal"')
          ? ['embedded']
          : [],
    );
    assert.ok(order.indexOf('embedded') < order.indexOf('terminal/release'));
    assert.match(bench.model.requests[1]?.text ?? '', /from the terminal/);
    assert.equal(client.terminals.get('terminal-1')?.released, true);
  });

  it('fs: the client’s unsaved text is read, and a write goes through the client', async () => {
    const unsaved = new Map([[join(bench.cwd, 'sum.js'), 'unsaved text\n']]);
    const client = await bench.start(
      [
        { text: xmlCall('read_file', { path: 'sum.js' }) },
        { text: xmlCall('write_to_file', { path: 'new.js', content: 'new text', line_count: '1' }) },
        done(),
      ],
      { capabilities: { fs: { readTextFile: true, writeTextFile: true } }, unsaved },
    );
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
    assert.match(bench.model.requests[1]?.text ?? '', /unsaved text/);
    assert.deepEqual(client.asked(), [
      'fs/read_text_file',
      'session/request_permission',
      'fs/write_text_file',
    ]);
    assert.equal(readFileSync(join(bench.cwd, 'new.js'), 'utf8'), 'new text\n');
  });
});
