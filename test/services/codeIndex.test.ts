import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CodeIndex } from '../../src/services/codeIndex/CodeIndex.ts';
import type { IndexAnswer } from '../../src/services/codeIndex/indexThread.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/services/codeIndex/CodeIndex.ts')).href;

/** A Node without SQLite keeps no index, and that is all there is to test there. */
if (isBuiltin('node:sqlite')) describe('the code index', tests);
else
  describe('the code index', () => {
    it('is not there on a Node without SQLite', () => {
      assert.equal(CodeIndex.create(tmpdir()), undefined);
    });
  });

function tests(this: Mocha.Suite): void {
  // The first call of each index starts a thread.
  this.timeout(90_000);
  let base: string;
  let root: string;
  const open: CodeIndex[] = [];
  const children: ChildProcess[] = [];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'lathe-index-'));
    root = join(base, 'workspace');
    mkdirSync(root);
  });
  afterEach(async () => {
    for (const index of open.splice(0)) await index.dispose();
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    rmSync(base, { recursive: true, force: true });
  });

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const create = (): CodeIndex => {
    const index = CodeIndex.create(join(base, 'index'));
    assert.ok(index);
    open.push(index);
    return index;
  };
  const filesNow = (): string[] =>
    readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const ask = async (
    index: CodeIndex,
    question: string,
    options: Partial<Parameters<CodeIndex['search']>[0]> = {},
  ): Promise<IndexAnswer> =>
    await index.search({
      root,
      files: filesNow(),
      question,
      prefix: '',
      limit: 10,
      patience: 60_000,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      ...options,
    });
  const paths = ({ places }: IndexAnswer): string[] => places.map(({ path }) => path);
  /** A change that keeps the size must be seen by its time: also where the clock of the disk is coarse. */
  const touch = (path: string): void => utimesSync(join(root, path), new Date(), new Date(Date.now() + 5000));

  it('finds definitions by what they are about, in parts of names and other forms of words', async () => {
    write(
      'src/session.ts',
      'export class SessionStore {\n  // ends what is too old\n  expireTokens() {}\n}\n',
    );
    write('src/paint.py', 'def draw_circle(radius):\n    return radius\n');
    write('notes.txt', 'Circles are drawn by the painter.\n');
    const index = create();
    const answer = await ask(index, 'where does a token of a session expire?');
    assert.deepEqual(answer, {
      places: [
        {
          path: 'src/session.ts',
          start: 1,
          end: 4,
          kind: 'class',
          name: 'SessionStore',
          excerpt: [
            { line: 1, text: 'export class SessionStore {' },
            { line: 2, text: '  // ends what is too old' },
            { line: 3, text: '  expireTokens() {}' },
            { line: 4, text: '}' },
          ],
        },
      ],
      indexed: 3,
      total: 3,
    });
    assert.deepEqual(paths(await ask(index, 'drawing circles')), ['src/paint.py', 'notes.txt']);
    assert.deepEqual(paths(await ask(index, 'drawing circles', { prefix: 'src/' })), ['src/paint.py']);
    assert.deepEqual(paths(await ask(index, 'circle', { prefix: 'notes.txt' })), ['notes.txt']);
    assert.deepEqual(paths(await ask(index, '"quoted" OR NEAR( * -:')), []);
    assert.deepEqual(paths(await ask(index, '')), []);
  });

  it('follows what changes, goes and comes, also between two starts', async () => {
    write('a.ts', 'function apple() {}\n');
    write('b.ts', 'function banana() {}\n');
    const index = create();
    // The second time there is nothing to do.
    for (let time = 0; time < 2; time++) assert.deepEqual(paths(await ask(index, 'apple')), ['a.ts']);
    write('a.ts', 'function grape() {}\n');
    touch('a.ts');
    rmSync(join(root, 'b.ts'));
    write('c.ts', 'function cherry() {}\n');
    assert.deepEqual(paths(await ask(index, 'apple banana')), []);
    assert.deepEqual(paths(await ask(index, 'grape')), ['a.ts']);
    await index.dispose();
    write('d.ts', 'function date() {}\n');
    const again = create();
    const answer = await ask(again, 'cherry date');
    assert.deepEqual([paths(answer).sort(), answer.indexed, answer.total], [['c.ts', 'd.ts'], 3, 3]);
  });

  it('forgets files that may not be read any more, and follows no links', async () => {
    write('open.ts', 'function melon() {}\n');
    write('hidden.ts', 'function melon() {}\n');
    symlinkSync(join(root, 'hidden.ts'), join(root, 'link.ts'));
    const index = create();
    assert.deepEqual(paths(await ask(index, 'melon')).sort(), ['hidden.ts', 'open.ts']);
    assert.deepEqual(paths(await ask(index, 'melon', { files: ['open.ts', 'link.ts'] })), ['open.ts']);
  });

  it('passes over what is no code, and takes broken code and unknown languages as they are', async () => {
    write('package-lock.json', '{"melon": 1}');
    write('app.min.js', 'melon();');
    write('dense.js', `melon();${'x();'.repeat(2000)}`);
    write('binary.ts', 'melon\0');
    write('empty.ts', '');
    write('broken.ts', 'class { melon( {{{\n');
    write('data.toml', 'melon = 1\r\n');
    const answer = await ask(create(), 'melon');
    assert.deepEqual([paths(answer).sort(), answer.indexed], [['broken.ts', 'data.toml'], 7]);
  });

  it('begins anew when its file is damaged', async () => {
    write('a.ts', 'function apple() {}\n');
    const index = create();
    assert.deepEqual(paths(await ask(index, 'apple')), ['a.ts']);
    await index.dispose();
    const [file = ''] = readdirSync(join(base, 'index')).filter((name) => name.endsWith('.db'));
    for (const damage of ['no database at all', `SQLite format 3\0${'x'.repeat(9000)}`]) {
      for (const name of readdirSync(join(base, 'index'))) rmSync(join(base, 'index', name));
      writeFileSync(join(base, 'index', file), damage);
      const again = create();
      assert.deepEqual(paths(await ask(again, 'apple')), ['a.ts']);
      await again.dispose();
    }
  });

  it('answers from what there is while it is built, tells how far it is, and goes on', async () => {
    for (let number = 0; number < 600; number++)
      write(
        `f${number}.ts`,
        `${'export function filler() {\n  return 1;\n}\n'.repeat(60)}function f${number}() {}\n`,
      );
    const index = create();
    const heard: number[] = [];
    const first = await ask(index, 'filler', {
      patience: 0,
      onProgress: ({ indexed }) => heard.push(indexed),
    });
    assert.deepEqual([first.total, first.indexed < 600, heard.length], [600, true, 1]);
    const stop = new AbortController();
    const stopped = ask(index, 'filler', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await assert.rejects(stopped, new Error('stopped'));
    const last = await ask(index, 'f599');
    assert.deepEqual([paths(last)[0], last.indexed], ['f599.ts', 600]);
  });

  it('keeps what was done when the process is killed in the middle, and finishes it', async () => {
    for (let number = 0; number < 1200; number++)
      write(
        `f${number}.ts`,
        `${'export function filler() {\n  return 1;\n}\n'.repeat(60)}function f${number}() {}\n`,
      );
    const script = `
      import { CodeIndex } from ${JSON.stringify(MODULE)};
      const { root, folder, files } = JSON.parse(process.env.JOB);
      const index = CodeIndex.create(folder);
      const names = Array.from({ length: files }, (_, number) => 'f' + number + '.ts');
      await index.search({ root, files: names, question: 'x', prefix: '', limit: 1, patience: 60000,
        signal: new AbortController().signal, onProgress: ({ indexed }) => { if (indexed > 0) console.log(indexed); } });
      console.log('finished');`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      env: { ...process.env, JOB: JSON.stringify({ root, folder: join(base, 'index'), files: 1200 }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.match(said.toString(), /^\d+\n/);
    const index = create();
    const partial = await ask(index, 'f3', { patience: 0 });
    assert.ok(partial.indexed >= Number.parseInt(said.toString()), 'what was said to be indexed still is');
    const whole = await ask(index, 'f1199');
    assert.deepEqual([paths(whole)[0], whole.indexed, whole.total], ['f1199.ts', 1200, 1200]);
  });
}
