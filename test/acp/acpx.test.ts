import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAlive, stub } from '../services/mcp/hubBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, done, EDIT, MENDED, run } from './support/AcpBench.ts';
import {
  Acpx,
  askedOf,
  callsOf,
  paramsOf,
  reasonsOf,
  textOf,
  updatesOf,
  wire,
  type AcpxCall,
} from './support/Acpx.ts';
import { toolServer } from './support/toolServer.ts';

/** A command whose process says its own id, and then takes its time. */
const SLOW = 'echo $$ > running; echo begun; exec sleep 60';

describe('ACP: the published client acpx', function () {
  // Each call starts two programs or three.
  this.timeout(120_000);
  let bench: AcpBench;
  let acpx: Acpx;
  beforeEach(async () => {
    bench = new AcpBench();
    await bench.script([]);
    acpx = new Acpx(bench);
  });
  afterEach(async () => {
    try {
      await acpx.stop();
      assert.deepEqual(acpx.check(), []);
    } finally {
      await bench.stop();
    }
  });

  const script = async (...turns: Parameters<AcpBench['script']>[0]): Promise<void> =>
    await bench.script(turns);
  const running = (): number | undefined => {
    const file = join(bench.cwd, 'running');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text === '' ? undefined : Number(text);
  };
  const begun = async (call: AcpxCall): Promise<number> => {
    await call.until(() => running() !== undefined, 'the command');
    return running() ?? 0;
  };
  const gone = async (pid: number): Promise<void> => {
    for (const end = Date.now() + 30_000; isAlive(pid) && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isAlive(pid), false);
  };
  const session = async (name: string): Promise<string> => {
    const { lines } = await acpx.run('sessions', 'new', '--name', name);
    return String(lines[0]?.acpxRecordId);
  };

  it('acpx: a thought, a plan and words, and the turn’s end', async () => {
    const todos = xmlCall('update_todo_list', { todos: '[x] look\n[-] mend\n[ ] check' });
    await script({ reasoning: 'I think of a plan.', text: `First a plan.\n\n${todos}` }, done('All of it.'));
    const { code, lines } = await acpx.run('exec', 'plan');
    assert.equal(code, 0);
    assert.equal(textOf(lines, 'agent_thought_chunk'), 'I think of a plan.');
    assert.equal(textOf(lines), 'First a plan.All of it.');
    assert.deepEqual(updatesOf(lines, 'plan'), [
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'look', status: 'completed', priority: 'medium' },
          { content: 'mend', status: 'in_progress', priority: 'medium' },
          { content: 'check', status: 'pending', priority: 'medium' },
        ],
      },
    ]);
    assert.deepEqual(reasonsOf(lines), ['end_turn']);
    // The answer is the last frame, and all of the session's updates come behind the answer that names it.
    const frames = wire(lines).map(({ line }) => line);
    assert.deepEqual(frames.at(-1)?.result, { stopReason: 'end_turn' });
    const named = frames.findIndex(
      ({ result }) => result !== undefined && JSON.stringify(result).includes('"sessionId"'),
    );
    assert.ok(frames.findIndex(({ method }) => method === 'session/update') > named);
  });

  for (const fs of [true, false])
    it(`acpx: an edit ${fs ? 'through the client’s files' : 'on the disk, for a client without files'}`, async () => {
      await script(EDIT, done());
      const { code, lines } = await acpx.run('--approve-all', ...(fs ? [] : ['--no-fs']), 'exec', 'mend it');
      assert.equal(code, 0);
      assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
      const [call] = callsOf(lines);
      assert.deepEqual(
        { status: call?.status, kind: call?.kind, locations: call?.locations, content: call?.content },
        {
          status: 'completed',
          kind: 'edit',
          locations: [{ path: bench.file }],
          content: [{ type: 'diff', path: bench.file, oldText: BUG, newText: MENDED }],
        },
      );
      const [asked] = paramsOf(lines, 'session/request_permission') as { options: { kind: string }[] }[];
      assert.deepEqual([...new Set(asked?.options.map(({ kind }) => kind))].sort(), [
        'allow_always',
        'allow_once',
        'reject_always',
        'reject_once',
      ]);
      assert.deepEqual(
        paramsOf(lines, 'fs/write_text_file').map(({ path, content }) => ({ path, content })),
        fs ? [{ path: bench.file, content: MENDED }] : [],
      );
      if (!fs) assert.deepEqual(askedOf(lines), ['session/request_permission']);
    });

  for (const terminal of [true, false])
    it(`acpx: a command in ${terminal ? 'the client’s terminal' : 'our shell, for a client without terminals'}`, async () => {
      await script(run('echo hello > told; echo hello'), done());
      const without = terminal ? [] : ['--no-terminal'];
      const { code, lines } = await acpx.run('--approve-all', ...without, 'exec', 'run it');
      assert.equal(code, 0);
      assert.equal(readFileSync(join(bench.cwd, 'told'), 'utf8'), 'hello\n');
      const [call] = callsOf(lines);
      assert.deepEqual(
        { status: call?.status, kind: call?.kind, title: call?.title, rawOutput: call?.rawOutput },
        {
          status: 'completed',
          kind: 'execute',
          title: 'echo hello > told; echo hello',
          rawOutput: { outcome: 'done', exitCode: 0 },
        },
      );
      assert.deepEqual(
        askedOf(lines).filter((method) => method.startsWith('terminal/')),
        terminal ? ['terminal/create', 'terminal/wait_for_exit', 'terminal/output', 'terminal/release'] : [],
      );
      const [shown] = call?.content as { type: string }[];
      assert.equal(shown?.type, terminal ? 'terminal' : 'content');
      assert.match(bench.model.requests[1]?.text ?? '', /hello/);
    });

  it('acpx: a refused permission fails the call and not the turn', async () => {
    await script(EDIT, done('Not done.'));
    const { code, lines } = await acpx.run('--deny-all', 'exec', 'mend it');
    // What acpx says with it: a permission was denied.
    assert.equal(code, 5);
    assert.deepEqual([callsOf(lines)[0]?.status, textOf(lines)], ['failed', 'I mend it.Not done.']);
    assert.deepEqual(reasonsOf(lines), ['end_turn']);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
    assert.equal(bench.model.requests.length, 2);
  });

  it('acpx: a permission that nobody can be asked for is no consent, and ends the turn', async () => {
    await script(EDIT);
    const policy = ['--non-interactive-permissions', 'fail'];
    const { code, lines } = await acpx.run(...policy, 'exec', 'mend it');
    assert.equal(code, 5);
    assert.deepEqual([callsOf(lines)[0]?.status, reasonsOf(lines)], ['failed', ['cancelled']]);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
    assert.equal(bench.model.requests.length, 1);
  });

  it('acpx: cancelled while the model writes; what waits behind it runs then', async () => {
    const long = 'A very long answer that takes its time.';
    await script({ text: long, stallAfter: 4 }, done('Now the other one.'));
    await session('a');
    const first = acpx.start('prompt', '-s', 'a', 'write');
    await first.until(() => textOf(first.lines) !== '', 'the first words');
    const queued = await acpx.run('prompt', '--no-wait', '-s', 'a', 'and then this');
    assert.equal(queued.lines[0]?.action, 'prompt_queued');
    const cancelled = await acpx.run('cancel', '-s', 'a');
    assert.deepEqual([cancelled.code, cancelled.lines[0]?.cancelled], [0, true]);
    assert.equal(await first.ended, 0);
    assert.deepEqual(reasonsOf(first.lines), ['cancelled']);
    // The keeper runs the queued one before it takes another.
    await script(done('The last.'));
    const last = await acpx.run('prompt', '-s', 'a', 'and last this');
    assert.equal(textOf(last.lines), 'The last.');
    assert.match(
      bench.model.requests.at(-1)?.text ?? '',
      /write.*and then this.*Now the other one\..*and last this/,
    );
  });

  for (const terminal of [true, false])
    it(`acpx: cancelled while a command runs in ${terminal ? 'its terminal' : 'our shell'}`, async () => {
      await script(run(SLOW));
      await session('a');
      const without = terminal ? [] : ['--no-terminal'];
      const call = acpx.start('--approve-all', ...without, 'prompt', '-s', 'a', 'run it');
      const pid = await begun(call);
      await acpx.run('cancel', '-s', 'a');
      assert.equal(await call.ended, 0);
      assert.deepEqual([callsOf(call.lines)[0]?.status, reasonsOf(call.lines)], ['failed', ['cancelled']]);
      await gone(pid);
      if (terminal)
        assert.deepEqual(askedOf(call.lines).slice(-3), [
          'terminal/kill',
          'terminal/output',
          'terminal/release',
        ]);
    });

  for (const signal of ['SIGINT', 'SIGKILL'] as const)
    it(`acpx: ${signal === 'SIGINT' ? 'Ctrl-C there cancels the turn' : 'killed itself'}, and the command ends`, async () => {
      await script(run(SLOW));
      const call = acpx.start('--approve-all', '--no-terminal', 'exec', 'run it');
      const pid = await begun(call);
      call.process.kill(signal);
      await call.ended;
      await gone(pid);
      if (signal === 'SIGINT') assert.deepEqual(reasonsOf(call.lines), ['cancelled']);
    });

  it('acpx: sessions are made, listed, shown and closed; a session of before is taken up', async () => {
    await script(done('The first.'), done('The second.'));
    await session('a');
    const { lines } = await acpx.run('prompt', '-s', 'a', 'begin');
    const [named] = paramsOf(lines, 'session/prompt') as { sessionId: string }[];
    const id = named?.sessionId ?? '';
    const listed = await acpx.run('sessions', 'list');
    const sessions = listed.lines[0]?.sessions as { sessionId: string; cwd: string; title: string }[];
    assert.deepEqual(
      sessions.map(({ sessionId, cwd, title }) => ({ sessionId, cwd, title })),
      [{ sessionId: id, cwd: bench.cwd, title: 'begin' }],
    );
    const { lines: history } = await acpx.run('sessions', 'history', 'a');
    assert.deepEqual(
      (history[0]?.entries as { role: string; textPreview: string }[]).map(
        ({ role, textPreview }) => `${role}: ${textPreview}`,
      ),
      ['user: begin', 'assistant: The first.'],
    );
    const closed = await acpx.run('sessions', 'close', 'a');
    assert.deepEqual([closed.code, closed.lines[0]?.action], [0, 'session_closed']);

    const taken = await acpx.run('sessions', 'new', '--name', 'b', '--resume-session', id);
    assert.equal(taken.code, 0);
    const again = await acpx.run('prompt', '-s', 'b', 'go on');
    assert.deepEqual(
      paramsOf(again.lines, 'session/prompt').map(({ sessionId }) => sessionId),
      [id],
    );
    assert.equal(textOf(again.lines), 'The second.');
    assert.match(bench.model.requests.at(-1)?.text ?? '', /begin.*The first\..*go on/);
  });

  it('acpx: modes and options are set and hold; a strange value is refused with its words', async () => {
    await script(done('Explained.'), done('Planned.'));
    await session('a');
    await acpx.run('prompt', '-s', 'a', 'explain');
    const mode = await acpx.run('set-mode', 'ask', '-s', 'a');
    assert.deepEqual([mode.code, mode.lines[0]?.modeId], [0, 'ask']);
    const option = await acpx.run('set', 'mode', 'architect', '-s', 'a');
    assert.deepEqual([option.code, option.lines[0]?.value], [0, 'architect']);
    const current = option.lines[0]?.configOptions as { id: string; currentValue: string }[];
    assert.equal(current.find(({ id }) => id === 'mode')?.currentValue, 'architect');
    const refused = [
      await acpx.run('set', 'mode', 'bogus', '-s', 'a'),
      await acpx.run('set', 'effort', 'high', '-s', 'a'),
    ];
    assert.deepEqual(
      refused.map(({ code, lines }) => ({ code, error: lines.at(-1)?.error?.code })),
      [
        { code: 1, error: -32602 },
        { code: 1, error: -32602 },
      ],
    );
    assert.match(refused[0]?.lines.at(-1)?.error?.message ?? '', /does not take bogus\. It takes: code/);
    // It is written down: the next program has it too.
    const { lines } = await acpx.run('prompt', '-s', 'a', 'plan');
    assert.equal(bench.model.requests.length, 2);
    assert.deepEqual(reasonsOf(lines), ['end_turn']);
    assert.match(JSON.stringify(bench.model.requests[1]?.body), /architect/i);
  });

  it('acpx: tool servers of the client are called, over stdio and HTTP', async () => {
    const { url, keys, stop } = await toolServer();
    try {
      const file = join(bench.folder, 'mcp.json');
      const env = [{ name: 'GIVEN', value: 'yes' }];
      const servers = [
        { name: 'files', type: 'stdio', command: process.execPath, args: [stub, '{}'], env },
        { name: 'far', type: 'http', url, headers: [{ name: 'x-key', value: 'a-key' }] },
      ];
      writeFileSync(file, JSON.stringify({ mcpServers: servers }));
      const use = (server_name: string, tool_name: string, given: object) => ({
        text: xmlCall('use_mcp_tool', { server_name, tool_name, arguments: JSON.stringify(given) }),
      });
      await script(use('files', 'environment', {}), use('far', 'shout', { text: 'heard' }), done());
      const { code, lines } = await acpx.run('--approve-all', '--mcp-config', file, 'exec', 'ask them');
      assert.equal(code, 0);
      const [near, far] = callsOf(lines);
      assert.deepEqual([near?.status, far?.status], ['completed', 'completed']);
      assert.match(JSON.stringify(near?.content), /GIVEN/);
      assert.match(JSON.stringify(far?.content), /HEARD!/);
      assert.ok(keys.length > 0 && keys.every((key) => key === 'a-key'));
      assert.equal(paramsOf(lines, 'session/request_permission').length, 2);
    } finally {
      await stop();
    }
  });

  it('acpx: a picture and a link reach the model', async () => {
    await script(done('Seen.'));
    const file = join(bench.folder, 'prompt.json');
    writeFileSync(
      file,
      JSON.stringify([
        { type: 'text', text: 'Compare' },
        { type: 'resource_link', name: 'sum.js', uri: pathToFileURL(bench.file).href },
        { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
      ]),
    );
    const { code, lines } = await acpx.run('exec', '--file', file);
    assert.deepEqual([code, textOf(lines)], [0, 'Seen.']);
    const { text = '' } = bench.model.requests[0] ?? {};
    assert.match(text, /Compare \[sum\.js\]\(sum\.js\)/);
    assert.match(text, /data:image\/png;base64,aGVsbG8=/);
  });

  it('acpx: an agent that was killed in the middle of a command is followed by one that goes on', async () => {
    await script(run(SLOW), run('echo after'), done('Recovered.'));
    const record = await session('a');
    const call = acpx.start('--approve-all', 'prompt', '-s', 'a', 'run it');
    const pid = await begun(call);
    const agent = acpx.agentOf(record);
    process.kill(agent, 'SIGKILL');
    await call.ended;
    assert.deepEqual(reasonsOf(call.lines), []);
    await gone(agent);
    const again = await acpx.run('--approve-all', 'prompt', '-s', 'a', 'go on');
    assert.equal(again.code, 0);
    assert.deepEqual(
      [paramsOf(again.lines, 'session/resume').length, reasonsOf(again.lines), textOf(again.lines)],
      [1, ['end_turn'], 'Recovered.'],
    );
    assert.match(bench.model.requests.at(-1)?.text ?? '', /run it.*go on.*after/);
    await gone(pid);
  });
});
