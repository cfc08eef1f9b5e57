import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastApply } from '../../src/core/provider/fastApply.ts';
import { toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { createProvider } from '../../src/providers/registry.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';
import { decoded, parseNative, parseXml, withContext, type TestContext } from '../support/testContext.ts';
import { modeOf } from '../support/PolicyBench.ts';

const edit = {
  target_file: 'a.js',
  instructions: 'Add.',
  code_edit: '// ... existing code ...\nreturn a + b;',
};

describe('fast_edit_file, and edit_file in its form', () => {
  const create = withContext();
  let model: ScriptedModel | undefined;
  afterEach(async () => {
    await model?.stop();
    model = undefined;
  });

  /** A workspace whose fast-apply model is a server that answers these. */
  async function start(turns: Turn[], files: Record<string, string>): Promise<TestContext> {
    const server = await ScriptedModel.start(turns);
    model = server;
    const provider = await createProvider(
      {
        name: 'fast',
        provider: 'openai-compatible',
        model: 'merge-1',
        baseUrl: server.url,
        protocol: 'auto',
      },
      { key: 'test-key', idleTimeoutMs: 10_000, retryLimit: 0 },
    );
    return await create({
      files,
      fastApply: (request, signal) => fastApply({ provider, model: 'merge-1' }, request, signal),
    });
  }

  it('take the same call in XML and natively', () => {
    const args = { ...edit, code_edit: 'a &lt; b\n</code_edit>\n' };
    for (const name of ['fast_edit_file', 'edit_file']) {
      assert.deepEqual(decoded(parseXml(xmlCall(name, args))), args);
      assert.deepEqual(decoded(parseNative(name, args)), args);
    }
  });

  for (const name of ['fast_edit_file', 'edit_file'])
    it(`${name} sends the file and the sketch, and proposes what comes back in the file's own line ends`, async () => {
      const before = '\ufefffunction sum(a, b) {\r\n  return a - b;\n}\r\n// end';
      const merged = 'function sum(a, b) {\n  return a + b;\n}\n// end\n';
      const context = await start([{ text: merged }], { 'a.js': before });
      const { prepared, text } = await context.native(name, edit);
      const [request] = model?.requests ?? [];
      assert.equal(request?.path, '/v1/chat/completions');
      assert.equal(request.headers.authorization, 'Bearer test-key');
      assert.equal(request.body.model, 'merge-1');
      assert.ok(
        request.text.includes(
          JSON.stringify(
            `<instruction>Add.</instruction>\n<code>${before.slice(1).replaceAll('\r\n', '\n')}</code>\n<update>${edit.code_edit}</update>`,
          ),
        ),
      );
      assert.equal(prepared?.proposal?.after, 'function sum(a, b) {\r\n  return a + b;\n}\r\n// end');
      assert.equal(text, "Changed 'a.js': 1 line added, 1 removed.");
      assert.equal(context.read('a.js'), '\ufefffunction sum(a, b) {\r\n  return a + b;\n}\r\n// end');
    });

  it('takes the file out of a fence or a tag', async () => {
    const context = await start([{ text: '```js\none\nTWO\n```' }, { text: '<code>\none\n2\n</code>' }], {
      'a.js': 'one\ntwo\n',
    });
    await context.xml('fast_edit_file', edit);
    assert.equal(context.read('a.js'), 'one\nTWO\n');
    await context.xml('fast_edit_file', edit);
    assert.equal(context.read('a.js'), 'one\n2\n');
  });

  it('changes nothing when the model fails, is cut, or leaves out code, and says how else', async () => {
    const turns: Turn[] = [
      { status: 401, error: 'bad key' },
      { text: 'one', finish: 'length' },
      { text: 'one\ntw', unfinished: true },
      { text: '' },
      { text: 'one\n// ... rest of the code stays the same ...\n' },
      { text: 'one\ntwo\n' },
    ];
    const context = await start(turns, { 'a.js': 'one\ntwo\n' });
    const words = [
      /could not be used for 'a\.js': the request failed \(/,
      /its answer was cut/,
      /its answer was cut|the request failed/,
      /its answer was empty/,
      /left out code of 'a\.js': '\/\/ \.\.\. rest of the code stays the same \.\.\.'/,
    ];
    for (const expected of words) {
      const { error = '' } = await context.native('fast_edit_file', edit);
      assert.match(error, expected);
      assert.match(error, /Nothing was changed\. Call search_replace with file_path/);
    }
    assert.match((await context.native('fast_edit_file', edit)).error ?? '', /already so/);
    assert.equal(context.read('a.js'), 'one\ntwo\n');
  });

  it('sends no file that is protected, outside, hidden or not of the mode', async () => {
    const context = await start([], { '.env': 'KEY=1\n', '.latheignore': 'h.js\n', 'h.js': 'x\n' });
    context.write('../out.js', 'x\n');
    for (const [path, words] of [
      ['.env', /'\.env' is protected, so it is not sent/],
      ['../out.js', /outside of the workspace, so it is not sent/],
      ['h.js', /hidden/],
    ] as const)
      assert.match(
        (await context.native('fast_edit_file', { ...edit, target_file: path })).error ?? '',
        words,
      );
    assert.equal(model?.requests.length, 0);
    const architect = await create({ mode: 'architect', files: { 'a.js': 'x' } });
    assert.match(
      (await architect.native('fast_edit_file', edit)).error ?? '',
      /Architect mode may only edit/,
    );
  });

  it('creates a file without asking the model, and none out of a sketch', async () => {
    const context = await start([], {});
    const { text } = await context.xml('fast_edit_file', { ...edit, code_edit: 'return 1;' });
    assert.match(text ?? '', /^Created 'a\.js'/);
    assert.equal(context.read('a.js'), 'return 1;\n');
    const { error } = await context.xml('fast_edit_file', {
      ...edit,
      target_file: 'b.js',
      code_edit: '// ... existing code ...\nx',
    });
    assert.match(error ?? '', /leaves out code[^]*Send the whole file/);
    assert.equal(existsSync(join(context.root, 'b.js')), false);
  });

  it('does nothing when denied or aborted, and stops waiting for the model', async () => {
    const context = await start([{ text: 'x\n' }, { silent: true }], { 'a.js': 'one\n' });
    assert.equal((await context.native('fast_edit_file', edit, { answer: { allowed: false } })).denied, true);
    const abort = new AbortController();
    const call = context.native('fast_edit_file', edit, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await assert.rejects(call, { name: 'AbortError' });
    assert.equal(context.read('a.js'), 'one\n');
  });

  it('is offered in place of the others where a model is set up, and only there; the others still run', () => {
    const offered = (fastApplyProfile: string, mode: string): string[] =>
      toolsForMode(modeOf(mode), {
        compact: false,
        settings: { todoList: true, fastApplyProfile },
        isAvailable: () => true,
      }).filter((name) => /file$|diff$/.test(name));
    assert.deepEqual(offered('', 'code'), ['read_file', 'write_to_file', 'apply_diff', 'delete_file']);
    assert.deepEqual(offered('fast', 'code'), ['read_file', 'delete_file', 'fast_edit_file']);
    assert.deepEqual(offered('fast', 'ask'), ['read_file']);
  });

  it('works in a whole task, by the profile that the setting names', async () => {
    const context = await create({ files: { 'a.js': 'one\ntwo\n' } });
    const server = await ScriptedModel.start([
      { text: xmlCall('fast_edit_file', edit) },
      { text: 'one\nzwei\n' },
      { text: xmlCall('attempt_completion', { result: 'Done.' }) },
    ]);
    model = server;
    const agent = await TestAgent.start({
      cwd: context.root,
      profile: { provider: 'openai-compatible', baseUrl: server.url },
      settings: { fastApplyProfile: 'test' },
      automatic: { edit: true },
    });
    try {
      await agent.run('Change it.');
      assert.equal(readFileSync(join(context.root, 'a.js'), 'utf8'), 'one\nzwei\n');
      assert.match(server.requests[0]?.raw ?? '', /## fast_edit_file/);
      assert.doesNotMatch(server.requests[0]?.raw ?? '', /## apply_diff/);
    } finally {
      await agent.stop();
    }
  });
});
