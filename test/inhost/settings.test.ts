import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { editorSettings } from '../../src/frontends/vscode/editorSettings.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { folder, internals, until } from './support/Lathe.ts';

describe('settings of the editor', () => {
  const defaults = editorSettingsSchema.parse({});
  const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('lathe');
  const setGlobal = async (name: string, value: unknown): Promise<void> => {
    await configuration().update(name, value, vscode.ConfigurationTarget.Global);
    await until(() => configuration().inspect(name)?.globalValue === value, `${name} in the settings`);
  };

  it('are the defaults where nobody set them, and the person’s where they did', async () => {
    assert.deepEqual(editorSettings(), defaults);
    await setGlobal('requestLimit', 7);
    assert.deepEqual(editorSettings(), { ...defaults, requestLimit: 7 });
    await setGlobal('requestLimit', undefined);
    assert.deepEqual(editorSettings(), defaults);
  });

  it('that are not valid count as not set', async () => {
    await setGlobal('requestLimit', -1);
    await setGlobal('language', 'klingon');
    await setGlobal('retryLimit', 2);
    assert.deepEqual(editorSettings(), { ...defaults, retryLimit: 2 });
    for (const name of ['requestLimit', 'language', 'retryLimit']) await setGlobal(name, undefined);
  });

  it('of a workspace change nothing, whatever it says', async () => {
    const path = join(folder(), '.vscode', 'settings.json');
    mkdirSync(join(folder(), '.vscode'), { recursive: true });
    const wide = { requestLimit: 100_000, readContextShare: 1, readMaximumFiles: 50, retryLimit: 20 };
    const lines = Object.entries(wide).map(([name, value]) => [`lathe.${name}`, value]);
    // One that the editor does let a workspace set tells when the file was read.
    writeFileSync(path, JSON.stringify({ ...Object.fromEntries(lines), 'editor.tabSize': 7 }));
    try {
      const read = (): boolean => vscode.workspace.getConfiguration('editor').get('tabSize') === 7;
      await until(read, 'the workspace’s settings');
      assert.deepEqual(editorSettings(), defaults);
    } finally {
      rmSync(join(folder(), '.vscode'), { recursive: true });
    }
  });
});

describe('keys of models', () => {
  const profile = {
    name: 'With a key',
    provider: 'openai-compatible',
    protocol: 'xml',
    model: 'some',
    baseUrl: 'http://127.0.0.1:9/v1',
  } as const;

  it('are in the editor’s secret store and in no file, and go with their profile', async () => {
    const { context, loaded } = await internals();
    const { dispatcher } = (await loaded()).agent;
    const { secrets } = context;
    await dispatcher.call('profile/save', { profile, key: 'very-secret-key' });
    assert.equal(await secrets.get('lathe.key.With a key'), 'very-secret-key');
    const home = process.env['LATHE_HOME'];
    assert.ok(home);
    assert.doesNotMatch(readFileSync(join(home, 'settings.json'), 'utf8'), /very-secret-key/);
    const listed = await dispatcher.call('profile/list', {});
    assert.doesNotMatch(JSON.stringify(listed), /very-secret-key/);
    assert.deepEqual(
      listed.profiles.find(({ name }) => name === profile.name),
      { ...profile, hasKey: true },
    );
    await dispatcher.call('profile/save', { profile: { ...profile, model: 'other' } });
    assert.equal(await secrets.get('lathe.key.With a key'), 'very-secret-key', 'a change keeps the key');
    await dispatcher.call('profile/delete', { name: profile.name });
    assert.equal(await secrets.get('lathe.key.With a key'), undefined);
  });
});
