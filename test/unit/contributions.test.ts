import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configuration, settingWords } from '../../scripts/generate-contributions.ts';

const ROOT = dirname(dirname(import.meta.dirname));

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    configuration: unknown;
    keybindings: { command: string; when?: string }[];
    menus: Record<string, ({ command: string } | { submenu: string })[]>;
    submenus: { id: string; label: string }[];
    walkthroughs: { id: string; steps: { id: string; description: string; media: { svg: string } }[] }[];
  };
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

/** What `%name%` stands for in a manifest, wherever it stands. */
function placeholders(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(/^%(.+)%$/g)].map(([, name = '']) => name);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(placeholders);
}

describe('what package.json contributes', () => {
  const manifest = read('package.json') as Manifest;
  const { commands, keybindings, menus, submenus } = manifest.contributes;
  const english = read('package.nls.json') as Record<string, string>;
  const chinese = read('package.nls.zh-cn.json') as Record<string, string>;

  it('holds the settings as the schema has them (else: npm run contributions)', () => {
    assert.deepEqual(manifest.contributes.configuration, configuration());
    const described = Object.entries(english).filter(([name]) => name.startsWith('configuration.'));
    assert.deepEqual(Object.fromEntries(described), settingWords());
  });

  it('says everything in both languages, and nothing that nobody asks for', () => {
    const asked = [...new Set(placeholders(manifest))].sort();
    assert.deepEqual(Object.keys(english).sort(), asked);
    assert.deepEqual(Object.keys(chinese).sort(), asked);
    const empty = [...Object.entries(english), ...Object.entries(chinese)].filter(
      ([, words]) => words.trim() === '',
    );
    assert.deepEqual(empty, []);
  });

  it('gives every command a title of its own from the words', () => {
    const titles = commands.map(({ title }) => placeholders(title)[0] ?? title);
    assert.deepEqual(
      titles.filter((title) => !title.startsWith('command.')),
      [],
    );
    assert.equal(new Set(titles).size, commands.length);
    for (const words of [english, chinese])
      assert.equal(new Set(titles.map((title) => words[title])).size, commands.length);
  });

  it('names only its own commands in menus and keys, and no key is always taken', () => {
    const known = new Set(commands.map(({ command }) => command));
    const items = Object.values(menus).flat();
    const used = [...items.filter((item) => 'command' in item), ...keybindings].map(({ command }) => command);
    assert.deepEqual(
      used.filter((command) => !known.has(command)),
      [],
    );
    assert.deepEqual(
      keybindings.filter(({ when }) => when === undefined),
      [],
    );
    const opened = items.flatMap((item) => ('submenu' in item ? [item.submenu] : []));
    assert.deepEqual([...new Set(opened)].sort(), submenus.map(({ id }) => id).sort());
    assert.deepEqual(
      submenus.filter(({ id }) => (menus[id]?.length ?? 0) === 0),
      [],
    );
  });

  it('has a picture without words for every step of the walkthrough, and links to commands that there are', () => {
    const known = new Set([
      ...commands.map(({ command }) => command),
      'workbench.action.openGlobalKeybindings',
    ]);
    const steps = manifest.contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    assert.ok(steps.length > 0);
    for (const { media, description } of steps) {
      const picture = readFileSync(join(ROOT, media.svg), 'utf8');
      assert.match(picture, /^<svg [^]*<\/svg>\s*$/);
      assert.doesNotMatch(picture, /<(text|script|image)|https?:(?!\/\/www\.w3\.org\/2000\/svg)/, media.svg);
      // The editor's policy for pictures lets no style in, only attributes.
      assert.doesNotMatch(picture, /style=/, media.svg);
      for (const words of [english, chinese]) {
        const said = words[description.slice(1, -1)] ?? '';
        const linked = [...said.matchAll(/\(command:([\w.]+)/g)].map(([, command = '']) => command);
        assert.deepEqual(
          linked.filter((command) => !known.has(command)),
          [],
        );
      }
    }
  });
});
