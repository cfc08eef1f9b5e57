import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../src/core/tools/redact.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

const args = { title: 'Search stops', description: 'It stops at <a broken link> & more.' };
const facts =
  /\n\n## Where\n\n- Lathe 1\.2\.3\n- \w+ \w+, Node [\d.]+, shell \S+\n- Mode code; calls in native form\n$/;

describe('report_bug', () => {
  const create = withContext();

  it('takes the same call in XML and natively', () => {
    assert.deepEqual(decoded(parseXml(xmlCall('report_bug', args))), args);
    assert.deepEqual(decoded(parseNative('report_bug', args)), args);
  });

  it('opens the form with the report in it, and sends nothing itself', async () => {
    const opened: string[] = [];
    const form = {
      address: 'https://example.org/lathe/issues',
      open: (url: string) => Promise.resolve(opened.push(url) > 0),
    };
    const context = await create({ host: { reports: { version: '1.2.3', form } } });
    const { prepared, text, response } = await context.native('report_bug', args);
    assert.deepEqual(prepared?.actions, [{ type: 'report', address: form.address }]);
    assert.match(text ?? '', /nothing was sent/);
    assert.equal(response?.details?.type, 'diff');
    const url = new URL(opened[0] ?? '');
    assert.equal(url.origin + url.pathname, 'https://example.org/lathe/issues/new');
    assert.equal(url.searchParams.get('title'), args.title);
    const body = `\n\n${url.searchParams.get('body') ?? ''}\n`;
    assert.match(body, facts);
    assert.equal(body.replace(facts, '').trim(), args.description);
    assert.deepEqual(readdirSync(context.artifacts), []);
  });

  it('saves the person’s version where there is no form, or none opens', async () => {
    for (const form of [undefined, { address: 'https://example.org', open: () => Promise.resolve(false) }]) {
      const context = await create({ host: { reports: { version: '1.2.3', ...(form ? { form } : {}) } } });
      const { text, prepared } = await context.native('report_bug', args, {
        answer: { allowed: true, edited: '# Theirs\n\nShorter.\n' },
      });
      const [name = ''] = readdirSync(context.artifacts);
      assert.match(text ?? '', new RegExp(`saved in .*${name}\\. Nothing was sent`));
      assert.equal(readFileSync(join(context.artifacts, name), 'utf8'), '# Theirs\n\nShorter.\n');
      assert.equal(prepared?.proposal?.before, null);
    }
  });

  it('does nothing when the answer is no', async () => {
    const context = await create();
    const { denied } = await context.native('report_bug', args, { answer: { allowed: false } });
    assert.deepEqual([denied, readdirSync(context.artifacts)], [true, []]);
  });

  it('takes out keys, passwords, names and places, and leaves the rest', async () => {
    const places = { home: '/home/ada', workspace: '/home/ada/work/secret project' };
    const cases: [string, string][] = [
      ['at /home/ada/work/secret project/a.ts:3', 'at <workspace>/a.ts:3'],
      ['in /home/ada/.config and /Users/bob/x', 'in ~/.config and /Users/<name>/x'],
      ['C:\\Users\\Eve\\x', 'C:\\Users\\<name>\\x'],
      ['key sk-abcdefghijklmnop1234', 'key <key>'],
      ['ghp_abcdefghijklmnop1234 AKIAABCDEFGHIJKLMNOP', '<key> <key>'],
      ['Authorization: Bearer abcdefgh.1234', 'Authorization: Bearer <key>'],
      ['postgres://me:pa55@db/x', 'postgres://<password>@db/x'],
      ['API_KEY=abc "password": "x y"', 'API_KEY=<hidden> "password": <hidden>'],
      ['mail ada@example.org', 'mail <address>'],
      ['-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----', '<private key>'],
      ['aB3'.repeat(20), '<key>'],
      ['commit 0123456789abcdef0123456789abcdef01234567', 'commit 0123456789abcdef0123456789abcdef01234567'],
      [
        'the tokenizer splits: src/core/tools/reportBugTool.ts',
        'the tokenizer splits: src/core/tools/reportBugTool.ts',
      ],
    ];
    for (const [text, expected] of cases) assert.equal(redact(text, places), expected);
    const context = await create();
    const { prepared } = await context.native('report_bug', {
      title: `Fails in ${context.root}`,
      description: `${homedir()}/x with token: abc`,
    });
    const report = prepared?.proposal?.after ?? '';
    assert.match(report, /^# Fails in <workspace>\n\n/);
    assert.ok(!report.includes(context.root) && !report.includes('abc'));
  });

  it('says what is missing, and cuts what no address takes', async () => {
    const opened: string[] = [];
    const form = {
      address: 'https://example.org/issues',
      open: (url: string) => Promise.resolve(opened.push(url) > 0),
    };
    const context = await create({ host: { reports: { version: '1', form } } });
    const { error } = await context.xml('report_bug', { title: 'x' });
    assert.match(error ?? '', /Missing required parameter 'description'/);
    await context.native('report_bug', { title: 'x\ny', description: 'word '.repeat(9000) });
    const url = new URL(opened[0] ?? '');
    assert.equal(url.searchParams.get('title'), 'x y');
    assert.match(url.searchParams.get('body') ?? '', /\(cut: it was longer\)$/);
    assert.ok((opened[0] ?? '').length < 8000);
  });
});
