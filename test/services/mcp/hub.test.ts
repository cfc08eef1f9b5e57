import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callStub, isAlive, serverOf, stubEntry, textOf, until, withBench } from './hubBench.ts';

/** What the stub sends: one pixel. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

describe('McpHub over stdio', function () {
  this.timeout(40_000);
  const bench = withBench();

  it('connects, and says what a server offers', async () => {
    const b = bench();
    b.user({ stub: stubEntry({ noise: true, pages: 4 }) });
    const hub = await b.hub();
    const server = serverOf(hub);
    assert.deepEqual(server.state, { type: 'ready' });
    assert.equal(server.protocolVersion, '2025-11-25');
    assert.deepEqual(server.implementation, { name: 'stub', version: '1.0.0' });
    assert.equal(server.instructions, 'Ask for the echo first.');
    assert.equal(server.tools.length, 17);
    assert.deepEqual(server.tools[0], {
      name: 'echo',
      id: 'echo',
      description: 'Echoes.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      enabled: true,
      automatic: false,
      changed: false,
    });
    assert.match(server.tools.at(-1)?.id ?? '', /^a_name_with_odd_signs_[0-9a-f]{8}$/);
    assert.deepEqual(server.resources, [{ uri: 'stub://note', name: 'note', mimeType: 'text/plain' }]);
    assert.deepEqual(server.prompts, [
      { name: 'greet', id: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] },
      {
        name: 'a talk',
        id: server.prompts[1]?.id,
        arguments: [
          { name: 'city', required: true },
          { name: 'state', required: false },
          { name: 'topic', required: false },
        ],
      },
    ]);
    assert.match(server.prompts[1]?.id ?? '', /^a_talk_[0-9a-f]{8}$/);
    const noise = hub.logs('stub').filter(({ from }) => from === 'stdout');
    assert.deepEqual(
      noise.map(({ text }) => text),
      ['Starting the server…', 'ready!'],
    );
    assert.deepEqual(b.problems, []);
  });

  it('passes on of icons only a small still PNG that stands in its own address', async () => {
    const b = bench();
    const png = (width: number, more = ''): { src: string } => {
      const bytes = Buffer.concat([Buffer.from(picture, 'base64'), Buffer.from(more)]);
      bytes.writeUInt32BE(width, 16);
      return { src: `data:image/png;base64,${bytes.toString('base64')}` };
    };
    const refused = [
      { src: 'https://icons.example.com/a.png' },
      { src: 'data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=' },
      { src: 'data:image/png;base64,PHN2Zz48L3N2Zz4=' },
      ...[png(0), png(129), png(1, 'acTL'), png(1, 'x'.repeat(12_000))],
    ];
    const good = png(1);
    b.user({ stub: stubEntry({ icons: refused }), other: stubEntry({ icons: [...refused, good] }) });
    const hub = await b.hub();
    const icons = (name: string): unknown[] => {
      const { implementation, tools } = serverOf(hub, name);
      return [implementation?.icon, ...new Set(tools.map(({ icon }) => icon))];
    };
    assert.deepEqual(
      [icons('stub'), icons('other')],
      [
        [undefined, undefined],
        [good.src, good.src],
      ],
    );
  });

  it('calls tools, and keeps the classes of failure apart', async () => {
    const b = bench();
    b.user({ stub: stubEntry({}, { timeout: 1 }) });
    const hub = await b.hub();
    assert.equal(textOf(await callStub(hub, 'echo', { text: 'hello' })), 'hello');
    assert.deepEqual(await callStub(hub, 'fails'), {
      type: 'result',
      isError: true,
      content: [{ type: 'text', text: 'no such city' }],
    });
    assert.deepEqual(await callStub(hub, 'refuses'), {
      type: 'failure',
      class: 'protocol',
      message: 'the server refused it: Unknown tool: refuses (code -32602)',
      mayHaveRun: false,
    });
    assert.deepEqual(await callStub(hub, 'never'), {
      type: 'failure',
      class: 'transport',
      message: 'the server gave no answer within 1 seconds',
      mayHaveRun: true,
    });
    assert.equal(textOf(await callStub(hub, 'cancelled')), '1');
    const wrong = await callStub(hub, 'wrong');
    assert.equal(wrong.type, 'result');
    assert.match(wrong.mismatch ?? '', /degrees.*number/);
    assert.deepEqual(wrong.structured, { degrees: 'hot' });
    assert.match((await hub.check('stub', 'echo', {})) ?? '', /text/);
    assert.equal(await hub.check('stub', 'echo', { text: 'x' }), undefined);
  });

  it('carries every kind of content, the unknown ones in words', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    assert.deepEqual(await callStub(hub, 'everything'), {
      type: 'result',
      isError: false,
      content: [
        { type: 'text', text: 'words red' },
        { type: 'image', mediaType: 'image/png', data: picture },
        { type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' },
        { type: 'link', uri: 'stub://note', name: 'note' },
        { type: 'resource', uri: 'stub://text', mimeType: 'text/plain', text: 'inside' },
        { type: 'resource', uri: 'stub://blob', mimeType: 'application/zip', blob: 'UEsDBA==' },
      ],
      structured: { answer: 42 },
    });
    assert.equal(
      textOf(await callStub(hub, 'strange')),
      "[content of the kind 'hologram', which cannot be shown here: a cube]\nand words",
    );
    assert.deepEqual(await hub.read('stub', 'stub://note', { signal: AbortSignal.timeout(5000) }), {
      type: 'result',
      isError: false,
      content: [{ type: 'resource', uri: 'stub://note', mimeType: 'text/plain', text: 'a note' }],
    });
    const missing = await hub.read('stub', 'stub://none', { signal: AbortSignal.timeout(5000) });
    assert.equal(missing.type === 'failure' && missing.class, 'protocol');
  });

  it('tells of progress, and cancels with the signal', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    const steps: unknown[] = [];
    await hub.call(
      'stub',
      'progress',
      {},
      {
        signal: AbortSignal.timeout(5000),
        onProgress: (progress) => steps.push(progress),
      },
    );
    assert.deepEqual(steps, [
      { progress: 1, total: 3, message: 'step 1' },
      { progress: 2, total: 3, message: 'step 2' },
      { progress: 3, total: 3, message: 'step 3' },
    ]);
    const stop = new AbortController();
    const call = callStub(hub, 'never', {}, stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await assert.rejects(call, /stopped/);
    assert.equal(textOf(await callStub(hub, 'cancelled')), '1');
  });

  it('leaves malformed tools out and keeps the others', async () => {
    const b = bench();
    b.user({ stub: stubEntry({ malformed: true }) });
    const server = serverOf(await b.hub());
    assert.equal(server.tools.length, 17);
    assert.deepEqual(
      server.problems.map(({ args }) => `${args?.name ?? ''}: ${args?.reason ?? ''}`),
      [
        "broken: its inputSchema is not of type 'object'",
        'worse: its inputSchema is not an object',
        '(without a name): it has no name',
      ],
    );
  });

  it('ends a list that does not end', async () => {
    const b = bench();
    b.user({ stub: stubEntry({ endless: true }) });
    const server = serverOf(await b.hub());
    assert.equal(server.tools.length, 64);
    assert.deepEqual(server.problems, [{ key: 'mcp.problem.endless', args: { list: 'tools/list' } }]);
  });

  it('reads a line of 20 MB, and fails the call alone whose answer is longer than it reads', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    assert.equal(textOf(await callStub(hub, 'big', { bytes: 20_000_000 })).length, 20_000_000);
    const pid = textOf(await callStub(hub, 'pid'));
    const outcome = await callStub(hub, 'big', { bytes: 40_000_000 });
    assert.match(textOf(outcome), /^protocol: .*message of 400\d+ bytes, which is too long/);
    assert.equal(textOf(await callStub(hub, 'pid')), pid);
  });

  it('follows a list that changed', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    await callStub(hub, 'grow');
    await until(hub, () => serverOf(hub).tools.some(({ name }) => name === 'grown'));
  });

  it('connects anew after the process died, and does not call twice', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    const first = textOf(await callStub(hub, 'pid'));
    assert.deepEqual(await callStub(hub, 'die'), {
      type: 'failure',
      class: 'transport',
      message: 'the connection ended before the answer came',
      mayHaveRun: true,
    });
    const second = textOf(await callStub(hub, 'pid'));
    assert.notEqual(second, first);
    assert.deepEqual(serverOf(hub).state, { type: 'ready' });
  });

  it('gives up after some tries, with what the server last said, and tries again when asked', async () => {
    const b = bench();
    b.user({
      stub: { command: process.execPath, args: ['-e', 'console.error("no key given"); process.exit(2)'] },
    });
    const hub = await b.hub();
    await until(hub, () => serverOf(hub).state.type === 'failed');
    const { state } = serverOf(hub);
    assert.ok(state.type === 'failed' && /no key given/.test(String(state.problem.args?.reason)));
    b.user({ stub: { command: 'no-such-program-anywhere' } });
    await hub.reload();
    await until(hub, () => serverOf(hub).state.type === 'failed');
    const { state: next } = serverOf(hub);
    assert.ok(next.type === 'failed' && /ENOENT/.test(String(next.problem.args?.reason)));
  });

  it('leaves no process behind: not a stubborn one, and not what it started', async function () {
    if (process.platform === 'win32') this.skip();
    const b = bench();
    b.user({ stub: stubEntry({ stubborn: true }) });
    const hub = await b.hub();
    const pids = [Number(textOf(await callStub(hub, 'pid'))), Number(textOf(await callStub(hub, 'child')))];
    assert.deepEqual(pids.map(isAlive), [true, true]);
    await hub.dispose();
    // What is killed is gone a moment later.
    for (let round = 0; round < 50 && pids.some(isAlive); round++) await delay(50);
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });

  it('gives servers no environment but what they need', async () => {
    const b = bench();
    b.user({ stub: stubEntry({}, { env: { GIVEN: '${env:LATHE_TEST_VALUE}' } }) });
    const environment = {
      PATH: process.env.PATH,
      HOME: b.home,
      ANTHROPIC_API_KEY: 'secret',
      LATHE_TEST_VALUE: 'v',
    };
    const hub = await b.hub({ environment });
    assert.equal(textOf(await callStub(hub, 'environment')), 'GIVEN HOME PATH');
  });

  it('writes down each call, without what was in it', async () => {
    const b = bench();
    b.user({ stub: stubEntry() });
    const hub = await b.hub();
    await callStub(hub, 'echo', { text: 'a secret' });
    await callStub(hub, 'fails');
    await delay(100);
    const text = readFileSync(join(b.home, 'mcp-audit.jsonl'), 'utf8');
    assert.ok(!text.includes('a secret'));
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({ server, method, target, outcome, arguments: names, protocolVersion }) => ({
        ...{ server, method, target, outcome, names, protocolVersion },
      })),
      [
        {
          ...{ server: 'stub', method: 'tools/call', target: 'echo', outcome: 'result' },
          ...{ names: ['text'], protocolVersion: '2025-11-25' },
        },
        {
          ...{ server: 'stub', method: 'tools/call', target: 'fails', outcome: 'tool_error' },
          ...{ names: [], protocolVersion: '2025-11-25' },
        },
      ],
    );
  });
});
