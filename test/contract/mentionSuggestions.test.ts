import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MentionSuggestions } from '../../src/core/context/mentions/MentionSuggestions.ts';
import { NodeHost } from '../../src/hosts/node/NodeHost.ts';

const CART = `export class Cart {
  total(items: number[]): number {
    return items.length;
  }
}

export function totalOf(cart: Cart): number {
  return cart.total([]);
}
`;

describe('what can be mentioned where there is no editor', function () {
  this.timeout(60_000);
  let root: string;
  let host: NodeHost;
  let suggestions: MentionSuggestions;
  const never = new AbortController().signal;

  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...command: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...command], {
      cwd: root,
      encoding: 'utf8',
    });

  before(async () => {
    host = await NodeHost.create(process.env);
  });
  after(async () => {
    await host.dispose();
  });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-suggest-')));
    suggestions = new MentionSuggestions(host, root, never);
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('finds definitions by parts of their names, best first, and by the class that they lie in', async () => {
    put('src/cart.ts', CART);
    put('src/use.py', 'def subtotal(cart):\n    return cart.total\n');
    const total = { name: 'total', container: 'Cart', path: 'src/cart.ts', line: 2, kind: 'method' };
    assert.deepEqual(await suggestions.definitions('Total', never), [
      total,
      { name: 'totalOf', container: '', path: 'src/cart.ts', line: 7, kind: 'function' },
      { name: 'subtotal', container: '', path: 'src/use.py', line: 1, kind: 'function' },
    ]);
    assert.deepEqual(await suggestions.definitions('cart.tot', never), [total]);
    assert.deepEqual(await suggestions.definitions('nothing', never), []);
    for (const odd of ['', '.', '(', 'a b', '\\', '$', '*']) await suggestions.definitions(odd, never);
  });

  it('sees what a file says now', async () => {
    put('a.ts', 'export const first = 1;\n');
    assert.equal((await suggestions.definitions('first', never)).length, 1);
    put('a.ts', '// first\n\nexport const firstOfAll = 1;\n');
    assert.deepEqual(
      (await suggestions.definitions('first', never)).map(({ name, line }) => [name, line]),
      [['firstOfAll', 3]],
    );
  });

  it('names nothing that is ignored, hidden from agents, too large or no source', async () => {
    git('init', '-q');
    put('.gitignore', 'built/\n');
    put('.latheignore', 'private/\n');
    const definition = 'export function secretPlan() {}\n';
    for (const path of [
      'built/a.ts',
      'private/a.ts',
      'node_modules/x/a.ts',
      'a.txt',
      'binary.ts',
      'large.ts',
    ])
      put(path, definition);
    put('binary.ts', `${definition}\0`);
    put('large.ts', `${definition}// ${'x'.repeat(2 ** 20)}\n`);
    put('seen.ts', definition);
    assert.deepEqual(
      (await suggestions.definitions('secretplan', never)).map(({ path }) => path),
      ['seen.ts'],
    );
    // While nobody can say what is hidden, all of it is.
    put('.latheignore', '[z-a]\n');
    const unsure = new MentionSuggestions(host, root, never);
    assert.deepEqual(await unsure.definitions('secretplan', never), []);
  });

  it('ends when what was typed is typed no more', async () => {
    put('cart.ts', CART);
    const stop = new AbortController();
    const found = suggestions.definitions('total', stop.signal);
    stop.abort(new Error('typed on'));
    await assert.rejects(found, { message: 'typed on' });
  });

  it('counts what is changed and names the newest commits, and starts nothing that a repository names', async () => {
    assert.equal(await suggestions.git(), undefined);
    git('init', '-q');
    assert.deepEqual(await suggestions.git(), { changed: 0, commits: [] });
    put('a.txt', 'a\n');
    put('b.txt', 'b\n');
    git('add', '.');
    git('commit', '-qm', 'Begin\n\nwith more words');
    git('commit', '-q', '--allow-empty', '-m', 'Go on');
    put('a.txt', 'another\n');
    put('new/c.txt', 'c\n');
    for (const [name, value] of [
      ['core.fsmonitor', 'touch evil-ran'],
      ['core.pager', 'touch evil-ran'],
      ['filter.evil.clean', 'touch evil-ran; cat'],
      ['log.showSignature', 'true'],
      ['gpg.program', 'touch evil-ran'],
    ] as const)
      git('config', name, value);
    put('.git/info/attributes', '*.txt filter=evil\n');
    const overview = await suggestions.git();
    const hash = git('rev-parse', 'HEAD').trim();
    assert.equal(overview?.changed, 2);
    assert.deepEqual(
      overview.commits.map(({ subject }) => subject),
      ['Go on', 'Begin'],
    );
    assert.equal(overview.commits[0]?.hash, hash);
    assert.equal(existsSync(join(root, 'evil-ran')), false);
  });
});
