import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodebaseSearchTool } from '../../src/core/tools/codebaseSearchTool.ts';
import { CodeIndex } from '../../src/services/codeIndex/CodeIndex.ts';
import {
  decoded,
  parseNative,
  parseXml,
  withContext,
  type TestContextOptions,
} from '../support/testContext.ts';

const TOOL = 'codebase_search';

describe(TOOL, function () {
  this.timeout(60_000);
  const createContext = withContext();

  it('takes the same parameters in XML and natively, a question as it is written', () => {
    const xml = parseXml(`<${TOOL}><query>where is <T> & friends checked?</query><path>src</path></${TOOL}>`);
    assert.deepEqual(decoded(xml), { query: 'where is <T> & friends checked?', path: 'src' });
    assert.deepEqual(
      decoded(parseNative(TOOL, { query: 'where is <T> & friends checked?', path: 'src' })),
      decoded(xml),
    );
    assert.deepEqual(decoded(parseNative(TOOL, { query: 'x', path: null })), { query: 'x' });
  });

  it('is offered only where there is an index and ripgrep to list files', async () => {
    const tool = new CodebaseSearchTool();
    const { host } = (await createContext()).context({ id: '1', origin: 'xml' });
    const codeIndex = { search: () => Promise.reject(new Error('not asked')) };
    assert.deepEqual(
      [
        tool.isAvailable({ host }),
        tool.isAvailable({ host: { ...host, codeIndex } }),
        tool.isAvailable({ host: { ...host, codeIndex, ripgrep: undefined } }),
      ],
      [false, true, false],
    );
    const without = await (await createContext({ files: { 'a.ts': '' } })).xml(TOOL, { query: 'x' });
    assert.match(without.error ?? '', /no code index here.*search_files/);
  });

  if (!isBuiltin('node:sqlite')) return;

  const open: { index: CodeIndex; folder: string }[] = [];
  afterEach(async () => {
    for (const { index, folder } of open.splice(0)) {
      await index.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  const create = async (options: TestContextOptions = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'lathe-index-'));
    const index = CodeIndex.create(folder);
    assert.ok(index);
    open.push({ index, folder });
    return await createContext({ ...options, host: { codeIndex: index } });
  };
  const CODE = 'export class Tokens {\n  /** Ends sessions that are too old. */\n  expireSessions() {}\n}\n';

  it('answers with places and their lines, best first', async () => {
    const context = await create({
      files: { 'src/tokens.ts': CODE, 'src/paint.ts': 'function paint() {}\n' },
    });
    const { response, prepared } = await context.xml(TOOL, { query: 'when do sessions expire?' });
    assert.deepEqual(response, {
      content:
        '1 place, best first.\n\n# src/tokens.ts:1-4 class Tokens\n  1 | export class Tokens {\n  2 |   /** Ends sessions that are too old. */\n  3 |   expireSessions() {}\n  4 | }',
      details: { type: 'matches', shown: 1, total: 1, files: 1 },
    });
    assert.deepEqual(prepared?.actions, [
      { type: 'read', path: context.root, insideWorkspace: true, protected: false },
    ]);
    assert.match(
      (await context.xml(TOOL, { query: 'zebra' })).text ?? '',
      /Nothing was found\. .*search_files/,
    );
  });

  it('searches below a folder or in a file, with those of the same beginning left out', async () => {
    const context = await create({ files: { 'src/a.ts': CODE, 'src2/a.ts': CODE, 'a.ts': CODE } });
    const found = async (path: string): Promise<string[]> =>
      ((await context.native(TOOL, { query: 'expire sessions', path })).text ?? '').match(
        /(?<=^# )[^:]+/gm,
      ) ?? [];
    assert.deepEqual(await found('src'), ['src/a.ts']);
    assert.deepEqual(await found('src2/a.ts'), ['src2/a.ts']);
    assert.deepEqual((await found('.')).sort(), ['a.ts', 'src/a.ts', 'src2/a.ts']);
    assert.match(
      (await context.xml(TOOL, { query: 'x', path: 'none' })).error ?? '',
      /There is no folder 'none'/,
    );
    assert.match((await context.xml(TOOL, { query: 'x', path: '..' })).error ?? '', /outside the workspace/);
    assert.match((await context.xml(TOOL, { query: '' })).error ?? '', /query/);
  });

  it('honours ignore files, also those that come later, and passes over secrets', async () => {
    const context = await create({
      files: {
        '.gitignore': 'built/\n',
        '.latheignore': 'private/\n',
        'built/a.ts': CODE,
        'private/a.ts': CODE,
        '.env': 'expire=sessions\n',
        'later.ts': CODE,
        'open.ts': CODE,
      },
    });
    const found = async (): Promise<string[]> =>
      ((await context.xml(TOOL, { query: 'expire sessions' })).text ?? '').match(/(?<=^# )[^:]+/gm)?.sort() ??
      [];
    assert.deepEqual(await found(), ['later.ts', 'open.ts']);
    context.write('.latheignore', 'private/\nlater.ts\n');
    assert.deepEqual(await found(), ['open.ts']);
  });

  it('is denied, and stops when the turn does', async () => {
    const context = await create({ files: { 'a.ts': CODE } });
    assert.equal((await context.xml(TOOL, { query: 'x' }, { answer: { allowed: false } })).denied, true);
    const stop = new AbortController();
    await assert.rejects(
      context.xml(
        TOOL,
        { query: 'x' },
        { signal: stop.signal, whileAsked: () => stop.abort(new Error('stopped')) },
      ),
      new Error('stopped'),
    );
  });
});
