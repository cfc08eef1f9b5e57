import assert from 'node:assert/strict';
import { xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

/** A search-and-replace block. */
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

describe('a person has a bug fixed, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  it('in a copy of this repository (OpenAI-style, XML): search, read, failing test, edit, passing test', async () => {
    workspace = Workspace.ofRepository();
    const file = 'src/core/diff/lines.ts';
    const right = "return carriage > plain ? '\\r\\n' : '\\n';";
    const wrong = "return carriage < plain ? '\\r\\n' : '\\n';";
    workspace.seedBug(file, right, wrong);
    const test = 'node --import tsx node_modules/mocha/bin/mocha.js --no-config test/unit/lines.test.ts';
    const call = (text: string, name: string, params: Record<string, string>): Turn => ({
      text: `${text}\n${xmlCall(name, params)}`,
    });
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });

    await sidebar.task('The line ends test fails. Find out why and mend it.', [
      call('I run the test first.', 'execute_command', { command: test }),
      call('It is about the usual line end.', 'search_files', { path: 'src', regex: 'usualLineEnd' }),
      call('There it is.', 'read_file', { args: `<file><path>${file}</path></file>` }),
      call('The comparison is the wrong way round.', 'apply_diff', {
        path: file,
        diff: block(`  ${wrong}`, `  ${right}`),
      }),
      call('Now the test again.', 'execute_command', { command: test }),
      call('', 'attempt_completion', {
        result: 'The comparison in `usualLineEnd` was the wrong way round; its test passes now.',
      }),
    ]);
    await sidebar.approve('execute_command');
    await sidebar.approve('apply_diff');
    await sidebar.approve('execute_command');
    assert.match(await sidebar.completion(), /its test passes now/);

    assert.deepEqual(sidebar.outcomes(), [
      ['execute_command', 'done'],
      ['search_files', 'done'],
      ['read_file', 'done'],
      ['apply_diff', 'done'],
      ['execute_command', 'done'],
      ['attempt_completion', 'done'],
    ]);
    assert.match(sidebar.result(0), /Exit code: [1-9]/);
    assert.match(sidebar.result(1), /# src\/core\/diff\/lines\.ts/);
    assert.match(sidebar.result(4), /Exit code: 0[^]*passing/);
    assert.ok(workspace.read(file).includes(right));
  });

  it('in a published package (Anthropic-style, native calls)', async () => {
    workspace = Workspace.ofPublishedPackage();
    workspace.seedBug('index.js', 'self.pending -= 1', 'self.pending -= 2');
    const call = (text: string, name: string, args: unknown): Turn => ({
      text,
      calls: [{ name, arguments: args }],
    });
    sidebar = await Sidebar.open({ workspace: workspace.folder, provider: 'anthropic', protocol: 'native' });

    await sidebar.task('npm test fails here. Please fix it.', [
      {
        text: 'Both at once.',
        calls: [
          { name: 'list_files', arguments: { path: '.' } },
          { name: 'read_file', arguments: { path: 'index.js' } },
        ],
      },
      call('I see it fail.', 'execute_command', { command: 'node test.js', timeout: 60 }),
      call('It counts down twice.', 'apply_diff', {
        path: 'index.js',
        diff: block('  self.pending -= 2;', '  self.pending -= 1;'),
      }),
      call('And now?', 'execute_command', { command: 'node test.js', timeout: 60 }),
      call('', 'attempt_completion', { result: 'Each call counts down once now; the tests pass.' }),
    ]);
    await sidebar.approve('execute_command');
    await sidebar.approve('apply_diff');
    await sidebar.approve('execute_command');
    assert.match(await sidebar.completion(), /the tests pass/);
    assert.doesNotMatch(sidebar.result(2), /Exit code: 0/);
    assert.match(sidebar.result(4), /Exit code: 0/);
    assert.deepEqual(
      sidebar.model.requests.map(({ path }) => path),
      Array(5).fill('/v1/messages'),
    );
    assert.ok(workspace.read('index.js').includes('self.pending -= 1;'));
  });
});
