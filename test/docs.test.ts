import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { packagedReadme } from '../scripts/lib/readme.mjs';
import { parseCommandLine, UsageError } from '../src/frontends/cli/commandLine.ts';
import { services } from '../src/providers/services.ts';
import { builtInModes } from '../src/shared/modes.ts';
import { editorSettingsSchema, providerIds } from '../src/shared/settings.ts';
import { toolNames } from '../src/shared/tools.ts';
import { codeQuestions } from './bench/support/codeQuestions.ts';

const ROOT = dirname(import.meta.dirname);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  );

const pages = new Map(
  ['README.md', 'AGENTS.md', 'CHANGELOG.md', ...filesIn('docs').filter((path) => path.endsWith('.md'))].map(
    (path) => [path, read(path)],
  ),
);
const readme = read('README.md');
const agents = read('AGENTS.md');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** Files that a guide tells its reader to write. */
const written = new Set(
  [...pages.values()].flatMap((text) => matches(text, /`([\w./-]+)`[^`\n]*:\n\n```ts$/gm)),
);

/** The first group of each match. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => (found === undefined ? [] : [found]));
}

function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** A heading's anchor, as repositories on the web make it. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** The links of a page that lead nowhere. */
function brokenLinks(path: string, text: string): string[] {
  return matches(withoutCode(text), /\]\(([^)\s]+)\)/g).filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', heading] = link.split('#');
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return (
      heading !== undefined &&
      !matches(read(target), /^#+ (.+)$/gm)
        .map(anchor)
        .includes(heading)
    );
  });
}

/** Paths in code spans that are not there. A placeholder (`<id>`, `*`) is no path, nor is a file that a guide has its reader write. */
function missingPaths(text: string): string[] {
  const spans = matches(text.replace(/^```[^]*?^```$/gm, ''), /`([^`\n]+)`/g);
  const command = matches(text, /mocha\.js --no-config (\S+\.ts)/g);
  return [...spans, ...command]
    .filter((span) => /^(src|webview-ui|test|scripts|docs|assets|\.vscode)\/[\w./-]*$/.test(span))
    .filter((path) => !existsSync(join(ROOT, path)) && !written.has(path));
}

/** First cells of the table whose head holds `title`, without code marks. */
function column(text: string, title: string, index: number): string[] {
  const table = text.split('\n\n').find((block) => block.startsWith('|') && block.includes(`| ${title} |`));
  assert.ok(table, `no table with a column ${title}`);
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|')[index + 1]?.trim() ?? '');
}

const codes = (cells: readonly string[]): string[] => cells.flatMap((cell) => matches(cell, /^`([^`]+)`$/g));
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

describe('the documentation', () => {
  for (const [path, text] of pages) {
    it(`${path} links to what is there, and names files and scripts that exist`, () => {
      const named = matches(text, /npm run ([a-z]+(?::[a-z]+)*)/g).filter((name) => !(name in scripts));
      assert.deepEqual(
        { links: brokenLinks(path, text), paths: missingPaths(text), scripts: named },
        {
          links: [],
          paths: [],
          scripts: [],
        },
      );
    });
  }

  it('would notice a broken link, a missing heading and a missing file', () => {
    assert.deepEqual(
      brokenLinks('docs/a.md', '[a](architecture.md) [b](no.md) [c](../README.md#no) `[d](e)`'),
      ['no.md', '../README.md#no'],
    );
    assert.deepEqual(missingPaths('`src/main.ts` `src/nothing.ts` `src/frontends/<name>`'), [
      'src/nothing.ts',
    ]);
  });

  it('has no page that nothing leads to', () => {
    const reached = new Set(['README.md']);
    for (const path of reached)
      for (const link of matches(withoutCode(pages.get(path) ?? ''), /\]\(([^)\s#]+)/g)) {
        const target = posix.join(posix.dirname(path), link);
        reached.add(target);
        reached.add(posix.join(target, 'README.md'));
      }
    assert.deepEqual(
      [...pages.keys()].filter((path) => !reached.has(path)),
      [],
    );
  });

  it('tells the addresses of local services', () => {
    const stated = column(readme, 'Address', 3).flatMap((cell) => matches(cell, /^`([^`]+)`$/g));
    const local = Object.entries(services).filter(([id, { local }]) => local && id !== 'openai-compatible');
    assert.deepEqual(
      stated,
      local.map(([, { baseUrl }]) => baseUrl),
    );
  });

  it('has every script of package.json in the table of commands', () => {
    const commands = codes(column(agents, 'What it does', 0)).map((command) =>
      command.replace(/^npm (run )?/, ''),
    );
    assert.deepEqual(sorted(commands), sorted(Object.keys(scripts)));
  });

  it('knows the same variables as the source', () => {
    const sources = filesIn('src').filter((path) => path.endsWith('.ts'));
    const used = sources.flatMap((path) => matches(read(path), /\b(LATHE_[A-Z_]+)\b/g));
    assert.deepEqual(sorted(codes(column(readme, 'What it says', 0))), sorted(used));
  });

  it('knows the same levels of --approve as the command line', () => {
    const levels = codes(column(readme, 'What is automatic', 0));
    for (const level of levels) parseCommandLine(['run', 'task', '--approve', level]);
    assert.throws(
      () => parseCommandLine(['run', 'task', '--approve', 'no such level']),
      new UsageError(`--approve takes one of: ${levels.join(', ')}`),
    );
  });

  it('lists every provider', () => {
    const listed = column(readme, '`LATHE_PROVIDER`', 1).flatMap((cell) => matches(cell, /^`([^`]+)`$/g));
    // The editor's own models cannot be had outside of it.
    assert.deepEqual(sorted([...listed, 'vscode-lm']), sorted(providerIds));
  });

  it('lists every tool and every mode', () => {
    const tools = /^- \*\*Tools:\*\* ([^]*?)\.\s/m.exec(readme)?.[1] ?? '';
    assert.deepEqual(sorted(matches(tools, /`(\w+)`/g)), sorted(toolNames));
    const modes = /`--mode` takes ([^]*?)\.\n/.exec(readme)?.[1] ?? '';
    assert.deepEqual(sorted(matches(modes, /`([\w-]+)`/g)), sorted(builtInModes.map(({ slug }) => slug)));
  });

  it('gives the package a README without what its page cannot show', () => {
    assert.equal(
      packagedReadme('# A\n\n![b](c.png)\nIts caption.\n\n[D](e.md), [f](https://g.example), `h`\n'),
      '# A\n\nD, [f](https://g.example), `h`\n',
    );
    assert.deepEqual(matches(packagedReadme(readme), /(\]\((?!https:)[^)]*\))/g), []);
    assert.equal(packagedReadme(readme).split('\n## ').length, readme.split('\n## ').length);
  });

  it('has every decision in the list of decisions', () => {
    const records = filesIn('docs/decisions').filter((path) => /\/\d{4}-[\w-]+\.md$/.test(path));
    const listed = matches(read('docs/decisions/README.md'), /\]\((\d{4}-[\w-]+\.md)\)/g);
    assert.deepEqual(sorted(listed), sorted(records.map((path) => posix.basename(path))));
    for (const path of records)
      assert.equal(/^# (\d{4}) /.exec(read(path))?.[1], posix.basename(path).slice(0, 4), path);
  });

  it('has launch configurations and tasks that run what there is', () => {
    const { configurations } = JSON.parse(read('.vscode/launch.json')) as {
      configurations: { name: string; preLaunchTask?: string }[];
    };
    const { tasks } = JSON.parse(read('.vscode/tasks.json')) as {
      tasks: { label: string; script: string; problemMatcher: { background?: Record<string, unknown> } }[];
    };
    const labels = tasks.map(({ label }) => label);
    const wanted = configurations.flatMap(({ preLaunchTask }) => preLaunchTask ?? []);
    assert.deepEqual(
      wanted.filter((label) => !labels.includes(label)),
      [],
    );
    assert.deepEqual(
      tasks.map(({ script }) => script).filter((script) => !(script in scripts)),
      [],
    );
    // VS Code starts the debugger when the watch says that everything is built.
    const watch = tasks.find(({ label }) => label === 'watch')?.problemMatcher.background;
    const said = matches(read('esbuild.mjs'), /console\.log\('(\[watch\] [^']+)'\)/g);
    for (const pattern of [watch?.beginsPattern, watch?.endsPattern])
      assert.equal(said.filter((line) => new RegExp(String(pattern)).test(line)).length, 1, String(pattern));
  });

  it('has each setting in both languages', () => {
    const names = Object.keys(editorSettingsSchema.shape).map((name) => `configuration.${name}`);
    for (const file of ['package.nls.json', 'package.nls.zh-cn.json']) {
      const words = JSON.parse(read(file)) as Record<string, string>;
      const settings = Object.keys(words).filter((key) => key.startsWith('configuration.'));
      assert.deepEqual(sorted(settings), sorted(names), file);
    }
  });

  it('the questions that the index is measured by are answered by files that are there', () => {
    for (const { folder = '.', questions } of codeQuestions)
      for (const [question, ...files] of questions)
        for (const file of files) assert.ok(existsSync(join(ROOT, folder, file)), `${question}: ${file}`);
  });
});
