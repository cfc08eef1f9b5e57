import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ProtocolError } from '../../src/core/Dispatcher.ts';
import type { ModeOverview } from '../../src/shared/customModes.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import { translate } from '../../src/shared/strings.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const done: Turn = { text: xmlCall('attempt_completion', { result: 'Done.' }) };
const builtIn = builtInModes.map(({ slug }) => slug);

const modeText = (slug: string, name: string, groups = '[read]'): string =>
  `  - slug: ${slug}\n    name: ${name}\n    roleDefinition: You are ${name}.\n    groups: ${groups}\n`;
const fileOf = (...modes: string[]): string => `customModes:\n${modes.join('')}`;

describe('modes, commands and rules in files', () => {
  let base: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let agent: TestAgent;

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-files-')));
    [cwd, home] = [join(base, 'workspace'), join(base, 'home')];
    for (const folder of [cwd, home]) mkdirSync(folder);
  });
  afterEach(async () => {
    await agent.stop();
    await model.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const read = (path: string): string => readFileSync(join(base, path), 'utf8');
  async function start(turns: Turn[] = [], options: Partial<TestAgentOptions> = {}): Promise<void> {
    model = await ScriptedModel.start(turns);
    agent = await TestAgent.start({
      ...{ cwd, home },
      ...options,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
    });
  }
  const call: TestAgent['agent']['dispatcher']['call'] = (method, params) =>
    agent.agent.dispatcher.call(method, params);
  const modes = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await call('mode/list', {})).map(({ slug, name }) => [slug, name]));
  const own = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(await modes()).filter(
        ([slug, name]) => builtInModes.find((mode) => mode.slug === slug)?.name !== name,
      ),
    );
  const rows = ({ modes: all }: ModeOverview): string[] =>
    all
      .filter(({ source, state }) => source !== 'builtIn' || state !== 'used')
      .map(
        ({ mode, source, state, path = '', line = 0 }) =>
          `${mode.slug} ${mode.name} ${source} ${state} ${path.replace(base, '')}:${line}`,
      );
  const refused = (code: string) => (error: unknown) => error instanceof ProtocolError && error.code === code;

  it('modes of the workspace count before the person’s, ours before the peers’; built-in ones come first', async () => {
    write('home/modes.yaml', fileOf(modeText('mine', 'Mine'), modeText('both', 'Both of mine')));
    write('workspace/.lathe/modes.yaml', fileOf(modeText('a', 'Ours')));
    write('workspace/.kilocodemodes', fileOf(modeText('a', 'Kilo'), modeText('k', 'Kilo')));
    write(
      'workspace/.roomodes',
      JSON.stringify({ customModes: [{ slug: 'r', name: 'Roo', roleDefinition: 'r', groups: [] }] }),
    );
    await start();
    assert.deepEqual(Object.keys(await modes()), [...builtIn, 'mine', 'both', 'a', 'k', 'r']);
    assert.deepEqual(await own(), { mine: 'Mine', both: 'Both of mine', a: 'Ours', k: 'Kilo', r: 'Roo' });
    assert.deepEqual(rows(await call('mode/overview', {})), [
      'mine Mine global used /home/modes.yaml:2',
      'both Both of mine global used /home/modes.yaml:6',
      'a Ours project used /workspace/.lathe/modes.yaml:2',
      'a Kilo project hidden /workspace/.kilocodemodes:2',
      'k Kilo project used /workspace/.kilocodemodes:6',
      'r Roo project used /workspace/.roomodes:1',
    ]);
  });

  it('a mode of the workspace takes the place of another only after a yes to exactly that', async () => {
    write('home/modes.yaml', fileOf(modeText('mine', 'Mine'), modeText('ask', 'My ask')));
    write(
      'workspace/.roomodes',
      fileOf(modeText('code', 'Evil'), modeText('mine', 'Theirs'), modeText('ask', 'Their ask')),
    );
    await start();
    assert.deepEqual(rows(await call('mode/overview', {})), [
      'ask My ask global used /home/modes.yaml:6',
      'mine Mine global used /home/modes.yaml:2',
      'ask Ask builtIn hidden :0',
      'code Evil project asks /workspace/.roomodes:2',
      'mine Theirs project asks /workspace/.roomodes:6',
      'ask Their ask project asks /workspace/.roomodes:10',
    ]);
    assert.deepEqual(await own(), { ask: 'My ask', mine: 'Mine' });

    const row = (await call('mode/overview', {})).modes.find(({ mode }) => mode.name === 'Theirs');
    assert.ok(row);
    await assert.rejects(
      call('mode/consent', { slug: 'mine', hash: 'other', agreed: true }),
      refused('not_found'),
    );
    await call('mode/consent', { slug: 'mine', hash: row.hash, agreed: true });
    assert.deepEqual(await own(), { ask: 'My ask', mine: 'Theirs' });

    // Another text is another mode.
    write('workspace/.roomodes', fileOf(modeText('mine', 'Theirs', '[read, command]')));
    assert.deepEqual(await own(), { ask: 'My ask', mine: 'Mine' });
    write('workspace/.roomodes', fileOf(modeText('mine', 'Theirs')));
    assert.deepEqual(await own(), { ask: 'My ask', mine: 'Theirs' });
    await call('mode/consent', { slug: 'mine', hash: row.hash, agreed: false });
    assert.deepEqual(await own(), { ask: 'My ask', mine: 'Mine' });
  });

  it('nothing of a workspace counts that is not trusted; trust counts at once', async () => {
    write('workspace/.lathe/modes.yaml', fileOf(modeText('a', 'Ours')));
    write('workspace/.lathe/commands/go.md', 'Go.');
    write('home/commands/mine.md', 'Mine.');
    write('home/modes.yaml', fileOf(modeText('mine', 'Mine')));
    let trust = false;
    await start([], { trustsProject: () => trust });
    const names = async (): Promise<string[]> =>
      (await call('command/list', {})).commands.map(({ name }) => name);
    assert.deepEqual([await own(), await names()], [{ mine: 'Mine' }, ['mine']]);
    await assert.rejects(call('task/create', { text: 'x', mode: 'a' }), refused('not_found'));
    const mode: ModeConfig = { slug: 'new', name: 'New', roleDefinition: 'r', groups: [] };
    await assert.rejects(call('mode/save', { scope: 'project', mode }), refused('not_trusted'));
    assert.equal((await call('mode/overview', {})).files.project, undefined);
    trust = true;
    assert.deepEqual([await own(), await names()], [{ mine: 'Mine', a: 'Ours' }, ['go', 'mine']]);
  });

  it('what is wrong in a file is told with its place, and a link out of the workspace is not followed', async () => {
    write('elsewhere.yaml', fileOf(modeText('secret', 'Secret')));
    write('workspace/.lathe/modes.yaml', `customModes:\n${modeText('ok', 'Ok')}  - slug: bad\n`);
    symlinkSync(join(base, 'elsewhere.yaml'), join(cwd, '.roomodes'));
    write('workspace/.kilocodemodes', Buffer.from([0xff, 0xfe]).toString('latin1'));
    writeFileSync(join(cwd, '.kilocodemodes'), Buffer.from([0xff, 0xfe]));
    await start();
    const { problems } = await call('mode/overview', {});
    assert.deepEqual(await own(), { ok: 'Ok' });
    assert.deepEqual(
      problems.map(
        ({ path, line = 0, problem }) =>
          `${path.replace(base, '')}:${line} ${translate('en', problem).replaceAll(base, '')}`,
      ),
      [
        '/workspace/.lathe/modes.yaml:6 The mode “bad” has no name.',
        '/workspace/.lathe/modes.yaml:6 The mode “bad” has no roleDefinition.',
        '/workspace/.lathe/modes.yaml:6 The mode “bad” has no groups.',
        '/workspace/.kilocodemodes:0 The file cannot be read: it is not UTF-8 text',
        '/workspace/.roomodes:0 The file cannot be read: /elsewhere.yaml is outside the workspace',
      ],
    );
  });

  it('a file that is saved counts at once, and everyone is told', async () => {
    await start();
    let told = 0;
    agent.agent.onNotification((name) => {
      if (name === 'mode/listChanged') told++;
    });
    assert.deepEqual(await own(), {});
    const change = async (path: string, text: string): Promise<void> => {
      const before = told;
      write(path, text);
      await agent.until(() => told > before, `word of ${path}`);
    };
    await change('workspace/.lathe/modes.yaml', fileOf(modeText('a', 'One')));
    assert.deepEqual(await own(), { a: 'One' });
    await change('workspace/.lathe/modes.yaml', fileOf(modeText('a', 'Two')));
    assert.deepEqual(await own(), { a: 'Two' });
    await change('home/modes.yaml', fileOf(modeText('b', 'Mine')));
    await change('workspace/.kilocodemodes', fileOf(modeText('c', 'Kilo')));
    assert.deepEqual(await own(), { b: 'Mine', a: 'Two', c: 'Kilo' });
    await change('workspace/.lathe/commands/go.md', 'Go.');
    await change('workspace/.lathe/commands/go.md', 'Go on.');
  });

  it('are written, changed, taken over, exported and deleted, each in its file', async () => {
    write('workspace/.kilocodemodes', `# theirs\n${fileOf(modeText('k', 'Kilo'))}`);
    await start();
    const mode: ModeConfig = {
      slug: 'docs',
      name: 'Docs',
      roleDefinition: 'You write.',
      groups: ['read', ['edit', { fileRegex: '\\.md$' }]],
    };
    await call('mode/save', { scope: 'global', mode });
    await call('mode/save', { scope: 'project', mode: { ...mode, name: 'Docs here' } });
    assert.deepEqual(await own(), { docs: 'Docs here', k: 'Kilo' });
    await assert.rejects(call('mode/save', { scope: 'global', mode }), refused('busy'));
    await assert.rejects(
      call('mode/save', {
        scope: 'global',
        mode: { ...mode, slug: 'x', groups: [['edit', { fileRegex: '(' }]] },
      }),
      refused('invalid_params'),
    );
    await call('mode/save', { scope: 'project', mode: { ...mode, slug: 'k2', name: 'K' }, replaces: 'k' });
    assert.match(read('workspace/.kilocodemodes'), /^# theirs\n[^]*slug: k2\n[^]*fileRegex: \\\.md\$/);
    const { name, text } = await call('mode/export', { slug: 'docs' });
    assert.equal(name, 'docs.yaml');
    await call('mode/delete', { scope: 'project', slug: 'docs' });
    assert.deepEqual(await own(), { docs: 'Docs', k2: 'K' });
    await call('mode/delete', { scope: 'global', slug: 'docs' });
    await assert.rejects(call('mode/delete', { scope: 'global', slug: 'docs' }), refused('not_found'));
    const imported = await call('mode/import', { scope: 'global', text: `${text}  - slug: broken\n` });
    assert.deepEqual(imported.slugs, ['docs']);
    assert.equal(imported.problems.length, 3);
    assert.deepEqual(await own(), { docs: 'Docs here', k2: 'K' });
    await call('mode/import', { scope: 'global', text: fileOf(modeText('docs', 'Again')) });
    assert.deepEqual(await own(), { docs: 'Again', k2: 'K' });
    await assert.rejects(
      call('mode/import', { scope: 'project', text: 'x'.repeat(300_000) }),
      refused('invalid_params'),
    );
  });

  it('rules go along with a mode, out and in, also those of Roo Code; none is written over, none leaves its folder', async () => {
    write('workspace/.lathe/rules-docs/a.md', 'Rhyme.\n');
    write('workspace/.roo/rules-docs/a.md', 'Hidden by ours.\n');
    write('workspace/.roo/rules-docs/b.txt', '# Be: brief\n\n- "yes"\n');
    write('home/rules-docs/c.md', 'Mine.\n');
    write('workspace/.roomodes', fileOf(modeText('docs', 'Docs')));
    await start();
    const { text } = await call('mode/export', { slug: 'docs' });
    rmSync(join(base, 'workspace'), { recursive: true });
    rmSync(join(base, 'home', 'rules-docs'), { recursive: true });
    write('workspace/.lathe/rules-docs/b.txt', 'Other words.\n');
    const imported = await call('mode/import', { scope: 'project', text });
    assert.deepEqual(
      imported.problems.map(({ problem }) => translate('en', problem)),
      [
        '.lathe/rules-docs/b.txt is there with other words, and was kept. Delete it and import again to have the imported one.',
      ],
    );
    assert.equal(read('workspace/.lathe/rules-docs/a.md'), 'Rhyme.\n');
    assert.equal(read('workspace/.lathe/rules-docs/b.txt'), 'Other words.\n');
    assert.equal(read('workspace/.lathe/rules-docs/c.md'), 'Mine.\n');
    rmSync(join(base, 'workspace/.lathe/rules-docs/b.txt'));
    assert.deepEqual((await call('mode/import', { scope: 'project', text })).problems, []);
    assert.equal(read('workspace/.lathe/rules-docs/b.txt'), '# Be: brief\n\n- "yes"\n');

    // As Roo Code writes it, and as nobody should.
    const rule = (relativePath: string, content = 'x'): string =>
      `      - relativePath: ${relativePath}\n        content: ${content}\n`;
    const theirs = `${fileOf(modeText('late', 'Late'))}    rulesFiles:\n${[
      rule('rules-old/deep/one.md', '|-\n          First.\n\n          Second.'),
      rule('two.txt'),
      rule('../../evil.md'),
      rule('rules-late/../../evil.md'),
      rule('/etc/evil.md'),
      rule('rules-late/run.sh'),
      rule('rules-late/TWO.txt'),
    ].join('')}`;
    const late = await call('mode/import', { scope: 'global', text: theirs });
    assert.deepEqual(
      late.problems.map(({ line, problem }) => [line, problem.key, problem.args?.path]),
      [
        [14, 'modes.problem.rule', '../../evil.md'],
        [16, 'modes.problem.rule', 'rules-late/../../evil.md'],
        [18, 'modes.problem.rule', '/etc/evil.md'],
        [20, 'modes.problem.rule', 'rules-late/run.sh'],
        [22, 'modes.problem.rule', 'rules-late/TWO.txt'],
      ],
    );
    assert.deepEqual(readdirSync(join(home, 'rules-late')).sort(), ['deep-one.md', 'two.txt']);
    assert.equal(read('home/rules-late/deep-one.md'), 'First.\n\nSecond.\n');
  });

  it('a task works in such a mode: its role is in the prompt, its expression holds, and what is saved meanwhile counts', async () => {
    write(
      'workspace/.lathe/modes.yaml',
      fileOf(modeText('notes', 'Notes', '[read, [edit, {fileRegex: "\\\\.txt$"}]]')),
    );
    write('workspace/.lathe/rules-notes/own.md', 'Write in rhymes.');
    const edit = (path: string): Turn => ({ text: xmlCall('write_to_file', { path, content: 'x\n' }) });
    await start(
      [edit('a.md'), edit('a.txt'), { text: xmlCall('switch_mode', { mode_slug: 'late' }) }, done],
      {
        automatic: { edit: true, switchMode: true },
        answer: () => ({ outcome: 'allow' }),
      },
    );
    agent.agent.onNotification((name, params) => {
      if (name !== 'task/events' || !('events' in params)) return;
      if (params.events.some((event) => event.kind === 'entry' && event.entry.type === 'tool_finished'))
        write('workspace/.roomodes', fileOf(modeText('late', 'Late')));
    });
    await agent.run('go', 'notes');
    assert.deepEqual(
      agent.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['write_to_file', 'failed'],
        ['write_to_file', 'done'],
        ['switch_mode', 'done'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.match(agent.results()[0]?.text ?? '', /Notes mode may only edit: files matching \\\.txt\$/);
    const systems = model.requests.map(({ body }) => JSON.stringify(body));
    assert.ok(systems[0]?.includes('You are Notes.') && systems[0].includes('Write in rhymes.'));
    assert.ok(systems[3]?.includes('You are Late.') && !systems[3].includes('Write in rhymes.'));
  });

  it('a command stands for its file’s words, in its mode; the person’s message stays as it was written', async () => {
    write(
      'workspace/.lathe/commands/review.md',
      '---\ndescription: Look at it\nargument-hint: <path>\nmode: ask\n---\nReview $1 for $& and `$ARGUMENTS`.\n',
    );
    write('workspace/.kilocode/workflows/submit pr.md', '# Submit\n\nDo it.');
    write('workspace/.roo/commands/review.md', 'Roo’s.');
    write('home/commands/mine.md', '---\ndescription: [broken\n---\nMine.');
    write('home/commands/empty.md', '---\ndescription: x\n---\n');
    write('home/commands/gone.md', '---\nmode: nowhere\n---\nGone.');
    await start([done, done, done, done, done]);
    const { commands, problems } = await call('command/list', {});
    assert.deepEqual(commands, [
      { name: 'gone', mode: 'nowhere', source: 'global', path: join(home, 'commands/gone.md') },
      { name: 'mine', source: 'global', path: join(home, 'commands/mine.md') },
      {
        name: 'review',
        description: 'Look at it',
        argumentHint: '<path>',
        mode: 'ask',
        source: 'project',
        path: join(cwd, '.lathe/commands/review.md'),
      },
      { name: 'submit-pr', source: 'project', path: join(cwd, '.kilocode/workflows/submit pr.md') },
    ]);
    assert.deepEqual(
      problems.map(({ path, line, problem }) => [path.replace(base, ''), line, problem.key]),
      [
        ['/home/commands/empty.md', undefined, 'slash.problem.empty'],
        ['/home/commands/mine.md', 2, 'slash.problem.head'],
      ],
    );
    const taskId = await agent.run('/review src/a.ts "and more"');
    for (const [index, text] of ['/submit-pr.md now', '/mine', '/gone', '/nobody knows'].entries()) {
      await call('task/send', { taskId, text });
      await agent.ended(index + 2);
    }
    const said = agent.entries('user_message').filter(({ automatic }) => automatic !== true);
    assert.deepEqual(
      said.map(({ text, command }) => [text, command?.text.split('\n\n').slice(1).join(' | ')]),
      [
        ['/review src/a.ts "and more"', 'Review src/a.ts for $& and `src/a.ts "and more"`.'],
        ['/submit-pr.md now', '# Submit | Do it. | The person added: now'],
        ['/mine', 'Mine.'],
        ['/gone', 'Gone.'],
        ['/nobody knows', undefined],
      ],
    );
    assert.deepEqual(
      agent.entries('mode_changed').map(({ mode, by }) => [mode, by]),
      [['ask', 'person']],
    );
    assert.ok(model.requests[0]?.text.includes('Review src/a.ts for $&'));
    assert.ok(model.requests[0]?.text.includes('You are in ask mode'));
  });

  it('rules are listed, and those that are switched off stay away from the model', async () => {
    write('workspace/AGENTS.md', 'Be kind to readers.');
    write('workspace/.lathe/rules-ask/short.md', 'Answer briefly.');
    write('home/rules/mine.md', 'In German.');
    await start([done, done]);
    const listed = async (): Promise<unknown[]> =>
      (await call('rule/list', {})).map(({ origin, source, mode, on }) => [origin, source, mode, on]);
    assert.deepEqual(await listed(), [
      ['AGENTS.md', 'project', undefined, true],
      ['.lathe/rules-ask/short.md', 'project', 'ask', true],
      ['rules/mine.md', 'global', undefined, true],
    ]);
    await call('rule/set', { path: join(cwd, 'AGENTS.md'), on: false });
    await assert.rejects(call('rule/set', { path: '/etc/passwd', on: false }), refused('not_found'));
    const taskId = await agent.run('go', 'ask');
    const [first] = model.requests;
    assert.deepEqual(
      ['Be kind to readers.', 'Answer briefly.', 'In German.'].map((words) => first?.text.includes(words)),
      [false, true, true],
    );
    await call('rule/set', { path: join(cwd, 'AGENTS.md'), on: true });
    await call('task/send', { taskId, text: 'again' });
    await agent.ended(2);
    assert.equal(model.requests[1]?.text.includes('Be kind to readers.'), true);
    assert.ok(!read('home/settings.json').includes('AGENTS.md'));
  });
});
