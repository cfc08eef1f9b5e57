import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { foldName, isBelow, isProtected, mayHoldSecrets } from '../../src/core/approval/protectedPaths.ts';
import { refuseDevice, refuseUnusable } from '../../src/core/context/unusablePath.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { PolicyBench } from '../support/PolicyBench.ts';

/** Ways to write one name that some file system or some eye takes for the same. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  (name) => name.normalize('NFD'),
  (name) => name.normalize('NFC'),
  (name) => `${name}.`,
  (name) => `${name} `,
  (name) => `${name}. .`,
  (name) => `${name}::$INDEX_ALLOCATION`,
  (name) => `${name}:stream`,
  (name) => name.replace('s', 'ſ'),
  (name) => name.replace('k', '\u212a'),
  (name) => name.replace(/[a-z]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  (name) => name.replace(/(?<=.)(?=.)/, '\u200c'),
  (name) => name.replace('ss', 'ß'),
];
const guardedPaths = [
  ['.git', 'hooks', 'pre-commit'],
  ['.git', 'config'],
  ['.vscode', 'tasks.json'],
  ['.lathe', 'rules', 'a.md'],
  ['.kilocode', 'mcp.json'],
  ['.roo', 'rules', 'a.md'],
  ['.clinerules'],
  ['.github', 'workflows', 'ci.yml'],
  ['.husky', 'pre-commit'],
  ['.devcontainer', 'devcontainer.json'],
  ['.ssh', 'authorized_keys'],
  ['.env'],
  ['.env.production'],
  ['.envrc'],
  ['.npmrc'],
  ['.bashrc'],
  ['AGENTS.md'],
  ['CLAUDE.md'],
  ['.latheignore'],
  ['.mcp.json'],
  ['id_ed25519'],
  ['server.pem'],
  ['my.code-workspace'],
];
const guarded = fc.constantFrom(...guardedPaths);
const spelt = guarded.chain((names) =>
  fc
    .tuple(...names.map((name) => fc.constantFrom(...spellings).map((spell) => spell(name))))
    .map((parts) => parts),
);
const folders = fc.array(fc.constantFrom('src', 'a b', 'ä', '..foo', 'x.y', '.hidden'), { maxLength: 3 });

describe('protected names', () => {
  it('stay protected however they are spelled, at any depth, with either slash', () => {
    fc.assert(
      fc.property(folders, spelt, fc.constantFrom('/', '\\'), (above, names, slash) => {
        assert.equal(isProtected(['/ws', ...above, names.join(slash)].join('/'), '/ws', []), true);
      }),
    );
  });

  it('fold to one name, and folding is done once', () => {
    assert.deepEqual(['.ßh', '.SSH. ', '.s\u200csh:x', '．ｇｉｔ', '.gıt'].map(foldName), [
      '.ssh',
      '.ssh',
      '.ssh',
      '.git',
      '.git',
    ]);
    fc.assert(
      fc.property(fc.constantFrom(...guardedPaths.flat()), fc.constantFrom(...spellings), (name, spell) =>
        assert.equal(foldName(spell(name)), foldName(name)),
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) =>
        assert.equal(foldName(foldName(name)), foldName(name)),
      ),
    );
  });

  it('leave ordinary files alone', () => {
    const ordinary = [
      'src/index.ts',
      'package.json',
      'README.md',
      'docs/agents-guide.md',
      '.github/ISSUE_TEMPLATE.md',
      '.gitignore',
      '.eslintrc.json',
      '.prettierrc',
      'src/git/config.ts',
      'environment.ts',
      'src/env.ts',
      'monkey.ts',
      '.env.example',
      '.env.local.sample',
      'keys/README.md',
      '.rooster/a',
      'gitx~1',
      'a:b',
    ];
    assert.deepEqual(
      ordinary.filter((path) => isProtected(`/ws/${path}`, '/ws', [])),
      ['gitx~1'],
    );
  });

  it('hold secrets only where keys live: the rest may be read', () => {
    const readable = [
      '.vscode/settings.json',
      '.git/HEAD',
      'AGENTS.md',
      '.github/workflows/ci.yml',
      '.lathe/rules/a.md',
    ];
    const secret = [
      '.env',
      '.ssh/config',
      'a/.aws/credentials',
      '.npmrc',
      'x.pem',
      '.git/config',
      '.mcp.json',
    ];
    assert.deepEqual(
      readable.filter((path) => mayHoldSecrets(`/ws/${path}`, '/ws')),
      [],
    );
    assert.deepEqual(
      secret.filter((path) => !mayHoldSecrets(`/ws/${path}`, '/ws')),
      [],
    );
    assert.equal(mayHoldSecrets('/home/me/.lathe/settings.json', '/ws', ['/home/me/.lathe']), true);
  });

  it('below means by whole names', () => {
    const rows: [string, string, boolean][] = [
      ['/ws/a', '/ws', true],
      ['/ws', '/ws', false],
      ['/ws-evil/a', '/ws', false],
      ['/ws\\evil', '/ws', false],
      ['/a', '/', true],
      ['/', '/', false],
    ];
    assert.deepEqual(
      rows.map(([path, folder]) => isBelow(path, folder, '/')),
      rows.map(([, , below]) => below),
    );
    assert.equal(isBelow('C:\\ws\\a', 'C:\\ws', '\\'), true);
  });
});

describe('no spelling of a path is automatic that leads outside or to a protected file', () => {
  let bench: PolicyBench;
  before(async () => {
    bench = await PolicyBench.open();
    for (const names of guardedPaths) bench.write(['workspace', ...names].join('/'));
    bench.write('workspace/src/a.ts');
    bench.write('other/secret.txt');
    bench.link('workspace/link', '../other');
    bench.link('workspace/src/deep', '../../other');
  });
  after(() => bench.close());

  const step = fc.constantFrom(
    '.',
    '..',
    'src',
    'link',
    'deep',
    'other',
    'workspace',
    'missing',
    'a.ts',
    'secret.txt',
    '.git',
    '.env',
  );
  const anywhere = fc
    .tuple(
      fc.constantFrom('', './', '/', '../', 'src/../'),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('/', '//', '/./'),
    )
    .map(([start, steps, slash]) => start + steps.join(slash));
  const aimed = fc
    .tuple(
      fc.constantFrom('', './', 'src/../', 'missing/../', 'link/../'),
      fc.constantFrom('', 'src/', 'new/deep/'),
      spelt,
      fc.constantFrom('/', '\\'),
    )
    .map(([start, folder, names, slash]) => start + folder + names.join(slash));
  const policy = { auto: { read: true, edit: true, switchMode: true, all: false } };

  for (const [title, path] of [
    ['random ways', anywhere],
    ['spelled names', aimed],
  ] as const)
    it(title, async () => {
      await fc.assert(
        fc.asyncProperty(path, async (asked) => {
          const judged = await bench.judge('write_to_file', { path: asked, content: 'x\n' }, { policy });
          if (!('verdict' in judged) || judged.verdict !== 'allow') return;
          // What was let through: where the system itself says it is, by a route of its own.
          const real = await bench.host.files.realPath(join(bench.root, asked));
          assert.ok(real.startsWith(`${bench.root}/`), `${asked} → ${real}`);
          const folded = real.slice(bench.root.length).normalize('NFKC').toLowerCase();
          assert.doesNotMatch(
            folded,
            /\.(git|vscode|lathe|kilocode|roo|husky|devcontainer|ssh|env|npmrc|bashrc|pem|code-workspace)/,
          );
        }),
        { numRuns: 300 },
      );
    });
});

describe('paths that are no files, by their words', () => {
  const refusal = (check: () => void): string | undefined => {
    try {
      check();
      return undefined;
    } catch (error) {
      if (error instanceof ToolError) return error.message;
      throw error;
    }
  };

  it('Windows: devices, streams, short names, shares', () => {
    const root = 'C:\\Users\\con\\ws~1';
    const devices = [
      'CON',
      'nul.txt',
      'src\\aux',
      'com1.log',
      'LPT¹',
      'conout$',
      'prn .txt',
      'nul:',
      'src\\NUL. ',
    ];
    const others = ['a.txt:stream', '.git::$INDEX_ALLOCATION', 'PROGRA~1\\x', 'GIT~1'];
    for (const name of [...devices, ...others])
      assert.ok(
        refusal(() => refuseDevice(`${root}\\${name}`, root, 'win32')),
        name,
      );
    for (const name of ['console.ts', 'src\\auxiliary.ts', 'com10.txt', 'a~b', 'null'])
      assert.equal(
        refusal(() => refuseDevice(`${root}\\${name}`, root, 'win32')),
        undefined,
        name,
      );
    assert.equal(
      refusal(() => refuseDevice(root, root, 'win32')),
      undefined,
    );
    assert.equal(
      refusal(() => refuseDevice('D:\\else\\a.txt', root, 'win32')),
      undefined,
    );
    for (const path of ['\\\\evil\\share\\x', '//evil/share', '\\\\?\\C:\\x', '\\\\.\\PhysicalDrive0'])
      assert.ok(
        refusal(() => refuseUnusable(path, 'win32')),
        path,
      );
  });

  it('elsewhere those are plain names, and the kernel’s folders are not, unless the workspace lies there', () => {
    for (const name of ['con', 'aux.c', 'a:b', 'x~1'])
      assert.equal(
        refusal(() => refuseDevice(`/ws/${name}`, '/ws', 'linux')),
        undefined,
        name,
      );
    assert.equal(
      refusal(() => refuseDevice('/dev/shm/ws/a', '/dev/shm/ws', 'linux')),
      undefined,
    );
    assert.ok(refusal(() => refuseDevice('/dev/null', '/dev/shm/ws', 'linux')));
    assert.ok(refusal(() => refuseDevice('/proc/1/environ', '/', 'linux')));
    assert.equal(
      refusal(() => refuseDevice('/developer/a', '/ws', 'linux')),
      undefined,
    );
  });
});
