import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, done, EDIT, MENDED, run } from './support/AcpBench.ts';

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
    const client = await bench.start([EDIT, done()]);
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
    const client = await bench.start([run('echo out'), done()]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'run'), 'end_turn');
    const [id = ''] = client.calls();
    assert.deepEqual(client.statuses(id), ['pending', 'in_progress', 'completed']);
    assert.match(JSON.stringify(client.call(id).content), /out/);
  });

  it('T11: a command runs in the client’s terminal, embedded before it is released', async () => {
    const client = await bench.start([run('echo from the terminal'), done()], {
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
    // With each later request it is looked whether what was read is still so.
    assert.deepEqual(client.asked(), [
      'fs/read_text_file',
      'fs/read_text_file',
      'session/request_permission',
      'fs/write_text_file',
      'fs/read_text_file',
    ]);
    assert.equal(readFileSync(join(bench.cwd, 'new.js'), 'utf8'), 'new text\n');
  });

  it('T2: each call has an id of its own in the session, and a title', async () => {
    const client = await bench.start([
      { text: xmlCall('list_files', { path: '.' }) },
      done(),
      { text: xmlCall('list_files', { path: '.' }) },
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'one');
    await client.prompt(session, 'two');
    const ids = client.calls();
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual(
      ids.map((id) => client.call(id).title),
      ['List .', 'List .'],
    );
  });

  it('a note stands whole in the request for permission, and so does the one that it replaces', async () => {
    const long = `Tests need the database.\n${'Wait for it. '.repeat(40)}`.trim();
    const id = `n${createHash('sha256').update(long).digest('hex').slice(0, 6)}`;
    const client = await bench.start([
      { text: xmlCall('memory', { action: 'add', content: long }) },
      { text: xmlCall('memory', { action: 'update', id, content: 'They do not.' }) },
      { text: xmlCall('memory', { action: 'list' }) },
      done(),
    ]);
    await client.prompt(await client.newSession(bench.cwd), 'remember it');
    const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } });
    assert.deepEqual(
      client.permissions.map(({ toolCall, options }) => [toolCall.content, options.map(({ kind }) => kind)]),
      [
        [[text(`Keep this note for later tasks?\n\n${long}`)], ['allow_once', 'allow_always', 'reject_once']],
        [
          [text('Put this note in the place of another?\n\nThey do not.'), text(`Until now:\n\n${long}`)],
          ['allow_once', 'allow_always', 'reject_once'],
        ],
      ],
    );
    const [, , list = ''] = client.calls();
    assert.match(JSON.stringify(client.call(list).content), /They do not\./);
  });

  it('T3: kinds are those of the protocol', async () => {
    const client = await bench.start([
      { text: xmlCall('list_files', { path: '.' }) },
      { text: xmlCall('search_files', { path: '.', regex: 'sum' }) },
      { text: xmlCall('update_todo_list', { todos: '[x] look\n[-] mend\n[ ] check' }) },
      run('true'),
      EDIT,
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'all of it');
    assert.deepEqual(
      client.calls().map((id) => [client.call(id).name, client.call(id).kind]),
      [
        ['list_files', 'search'],
        ['search_files', 'search'],
        ['update_todo_list', 'think'],
        ['execute_command', 'execute'],
        ['apply_diff', 'edit'],
      ],
    );
  });

  it('T4: what a running command prints replaces what was shown before', async () => {
    const client = await bench.start([run('echo first; sleep 0.5; echo second'), done()]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'run');
    const [id = ''] = client.calls();
    const shown = client
      .ofKind('tool_call_update')
      .flatMap(({ toolCallId, content }) => (toolCallId === id && content ? [JSON.stringify(content)] : []));
    assert.deepEqual(
      [shown[0], shown.at(-1)],
      ['first', 'first\nsecond'].map((text) =>
        JSON.stringify([{ type: 'content', content: { type: 'text', text: `\`\`\`\n${text}\n\`\`\`` } }]),
      ),
    );
  });

  it('T5: before it acts a call asks, and waits for the answer', async () => {
    const client = await bench.start([EDIT, done()], {
      permission: ({ toolCall, options }) => {
        assert.equal(readFileSync(bench.file, 'utf8'), BUG);
        assert.deepEqual(client.statuses(toolCall.toolCallId), ['pending']);
        return { outcome: { outcome: 'selected', optionId: options[0]?.optionId ?? '' } };
      },
    });
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'mend it');
    assert.equal(client.permissions.length, 1);
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
  });

  it('T6: options have an id, a name and one of the four kinds; always is kept', async () => {
    const back = { text: xmlCall('write_to_file', { path: 'sum.js', content: BUG, line_count: '1' }) };
    const client = await bench.start([EDIT, back, done()], {
      permission: ({ options }) => {
        const always = options.find(({ optionId }) => optionId === 'allow_always_file');
        return { outcome: { outcome: 'selected', optionId: always?.optionId ?? '' } };
      },
    });
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'mend it, and back');
    assert.deepEqual(
      client.permissions.map(({ options }) => options),
      [
        [
          { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
          { optionId: 'allow_always_file', kind: 'allow_always', name: 'Always allow for this file' },
          { optionId: 'allow_always_kind', kind: 'allow_always', name: 'Always allow in this project' },
          { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
          { optionId: 'reject_always_file', kind: 'reject_always', name: 'Never for this file' },
        ],
      ],
    );
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
  });

  it('T7: an answer by the client’s own rules is taken as it comes', async () => {
    const client = await bench.start([EDIT, done()], {
      permission: ({ options }) => {
        const no = options.find(({ kind }) => kind === 'reject_once');
        return { outcome: { outcome: 'selected', optionId: no?.optionId ?? '' } };
      },
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    const [id = ''] = client.calls();
    assert.deepEqual(client.statuses(id), ['pending', 'failed']);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
    assert.match(bench.model.requests[1]?.text ?? '', /denied|rejected/i);
  });

  it('T8: a permission that is answered `cancelled` is no consent, and ends the turn', async () => {
    const client = await bench.start([EDIT, done()], {
      permission: () => ({ outcome: { outcome: 'cancelled' } }),
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'cancelled');
    const [id = ''] = client.calls();
    assert.deepEqual(client.statuses(id), ['pending', 'failed']);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
    assert.equal(bench.model.requests.length, 1);
  });

  it('T12: places are absolute paths, with lines from one', async () => {
    const client = await bench.start([
      { text: xmlCall('read_file', { path: 'sum.js', start_line: '1', end_line: '1' }) },
      EDIT,
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'go');
    const places = client.calls().map((id) => client.call(id).locations as { path: string; line?: number }[]);
    assert.deepEqual(
      places.map(([place]) => place?.path),
      [bench.file, bench.file],
    );
    for (const { line } of places.flat()) assert.ok(line === undefined || line >= 1);
    // Not even while the path is still being written is another file named.
    const told = client
      .updates()
      .flatMap((update) => ('locations' in update ? (update.locations ?? []) : []));
    assert.deepEqual([...new Set(told.map(({ path }) => path))], [bench.file]);
  });

  it('T13: nothing is asked of a client that it did not say it can do', async () => {
    const client = await bench.start(
      [
        { text: xmlCall('read_file', { path: 'sum.js' }) },
        EDIT,
        run('echo ours'),
        {
          text: xmlCall('ask_followup_question', {
            question: 'Which?',
            follow_up: '<suggest>This</suggest><suggest>That</suggest>',
          }),
        },
      ],
      { capabilities: {} },
    );
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
    assert.deepEqual(client.asked(), ['session/request_permission', 'session/request_permission']);
    assert.match(bench.model.requests[3]?.text ?? '', /ours/);
    assert.match(client.text(), /Which\?\n1\. This\n2\. That$/);
  });

  it('fs: a write that the client refuses fails the call, not the turn', async () => {
    const client = await bench.start([EDIT, done('It was refused.')], {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      refuses: true,
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    const [id = ''] = client.calls();
    assert.equal(client.call(id).status, 'failed');
    assert.match(bench.model.requests[1]?.text ?? '', /the editor refused it: not allowed here/);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
  });

  it('fs: a file with unsaved changes is not written over', async () => {
    const client = await bench.start([EDIT, done()], {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      unsaved: new Map([[bench.file, 'being typed']]),
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    assert.deepEqual(client.asked(), ['fs/read_text_file']);
    assert.match(bench.model.requests[1]?.text ?? '', /unsaved changes/);
  });

  it('terminal: one that the client refuses fails the call, not the turn', async () => {
    const client = await bench.start([run('true'), done()], {
      capabilities: { terminal: true },
      refuses: true,
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'run'), 'end_turn');
    const [id = ''] = client.calls();
    assert.equal(client.call(id).status, 'failed');
    assert.match(bench.model.requests[1]?.text ?? '', /could not be started/);
  });
});
