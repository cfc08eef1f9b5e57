import assert from 'node:assert/strict';
import { locales, message, translate } from '../../src/shared/strings.ts';
import { coreStrings } from '../../src/shared/strings/core.ts';
import { providerStrings } from '../../src/shared/strings/providers.ts';
import { vscodeStrings } from '../../src/shared/strings/vscode.ts';
import { subtaskStrings } from '../../src/shared/strings/subtasks.ts';
import { webviewStrings } from '../../src/shared/strings/webview.ts';
import { webviewScreenStrings } from '../../src/shared/strings/webviewScreens.ts';

const rows: Record<string, readonly [string, string]> = {
  ...coreStrings,
  ...providerStrings,
  ...vscodeStrings,
  ...subtaskStrings,
  ...webviewStrings,
  ...webviewScreenStrings,
};

const placesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1] ?? ''))].sort();

describe('sentences for people', () => {
  it('take the form that the number asks for, in both languages', () => {
    const said = [0, 1, 2].map((added) =>
      locales.map((locale) => translate(locale, message('webview.counts', { added, removed: 3 }))),
    );
    assert.deepEqual(said, [
      ['0 lines added, 3 removed.', '新增 0 行，删除 3 行。'],
      ['1 line added, 3 removed.', '新增 1 行，删除 3 行。'],
      ['2 lines added, 3 removed.', '新增 2 行，删除 3 行。'],
    ]);
  });

  it('have the same places in both languages', () => {
    const different = Object.entries(rows).filter(
      ([, [english, chinese]]) => placesIn(english).join() !== placesIn(chinese).join(),
    );
    assert.deepEqual(different, []);
  });

  it('never have a counted word in its plural alone', () => {
    // What is always more than one.
    const always = new Set(['webview.waitingCount', 'webview.run.times']);
    const counted = Object.entries(rows).filter(
      ([key, [english]]) =>
        /\{(?:count|added|removed|attempt|code|minutes|seconds)\} (?:\w+ ){0,2}?[a-z]{3,}s\b/.test(english) &&
        !always.has(key),
    );
    assert.deepEqual(
      counted.map(([key]) => key),
      [],
    );
  });
});
