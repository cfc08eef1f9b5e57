import assert from 'node:assert/strict';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';
import { xmlCall } from '../support/ScriptedModel.ts';

describe('new_rule', () => {
  const create = withContext();

  it('takes path or name, in XML and natively', () => {
    const calls: Record<string, string>[] = [
      { path: '.lathe/rules/a.md', content: 'Do.\n</content>' },
      { name: 'a', content: 'Do.' },
    ];
    for (const args of calls) {
      assert.deepEqual(decoded(parseNative('new_rule', args)), args);
      assert.deepEqual(decoded(parseXml(xmlCall('new_rule', args))), args);
    }
  });

  it('writes a rule after asking as for any protected file, and replaces it in its own line ends', async () => {
    const context = await create();
    const { prepared, text } = await context.xml('new_rule', { name: 'tests', content: 'Run them.' });
    const path = join(context.root, '.lathe/rules/tests.md');
    assert.deepEqual(prepared?.actions, [
      { type: 'edit', path, insideWorkspace: true, protected: true, created: true },
    ]);
    assert.equal(text, "Created '.lathe/rules/tests.md': 1 line added, 0 removed.");
    assert.equal(context.read('.lathe/rules/tests.md'), 'Run them.\n');
    context.write('.clinerules/a.md', 'One.\r\n');
    await context.native('new_rule', { path: './.clinerules/a.md', content: 'One.\nTwo.\n\n' });
    assert.equal(context.read('.clinerules/a.md'), 'One.\r\nTwo.\r\n');
  });

  it('writes nowhere else, and keeps to its mode', async () => {
    const context = await create();
    for (const path of [
      'src/a.md',
      '.lathe/modes.yaml',
      '.lathe/rules/../../a.md',
      '.lathe/rules/a.sh',
      '/etc/a.md',
    ]) {
      const { error } = await context.native('new_rule', { path, content: 'x' });
      assert.match(error ?? '', /is no place for a rule\. Send a path like \.lathe\/rules\/name\.md/, path);
    }
    assert.match(
      (await context.native('new_rule', { name: '../../a', content: 'x' })).error ?? '',
      /no place/,
    );
    assert.match((await context.native('new_rule', { content: 'x' })).error ?? '', /'path'/);
    const denied = await context.native(
      'new_rule',
      { name: 'a', content: 'x' },
      { answer: { allowed: false } },
    );
    assert.equal(denied.denied, true);
    const architect = await create({ mode: 'architect' });
    const { error } = await architect.native('new_rule', { path: '.lathe/rules/a.txt', content: 'x' });
    assert.match(error ?? '', /Architect mode may only edit/);
  });
});
