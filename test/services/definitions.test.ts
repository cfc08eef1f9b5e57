import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { definitions } from '../../src/services/definitions/definitions.ts';
import { languageOf } from '../../src/services/definitions/languages.ts';
import type { Outline } from '../../src/services/definitions/Syntax.ts';
import { samples } from './definitionSamples.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const signal = new AbortController().signal;

async function outline(file: string, text: string): Promise<Outline> {
  const language = languageOf(file);
  assert.ok(language, file);
  return await definitions(language, text, signal);
}

const shown = ({ definitions }: Outline): string[] =>
  definitions.map(({ start, end, kind, name }) => `${start}-${end} ${kind} ${name}`);

describe('definitions of a file', function () {
  // The first call starts the thread and loads a grammar.
  this.timeout(60_000);

  for (const { file, text, defined } of samples)
    it(`are found: ${file}`, async () => {
      const found = await outline(file, text);
      assert.deepEqual(shown(found), defined);
      assert.equal(found.firstError, undefined);
      // Lines are counted the same whatever ends them.
      assert.deepEqual(shown(await outline(file, text.replaceAll('\n', '\r\n'))), defined);
    });

  it('are found in files of this repository', async () => {
    const found = await outline('a.ts', readFileSync(join(ROOT, 'src/services/threads/Thread.ts'), 'utf8'));
    const names = found.definitions.map(({ name }) => name);
    for (const name of ['ThreadEnded', 'ThreadOptions', 'Thread', 'call', 'dispose', 'threadFile'])
      assert.ok(names.includes(name), name);
    const page = await outline('a.md', readFileSync(join(ROOT, 'docs/adding-a-tool.md'), 'utf8'));
    assert.equal(page.definitions[0]?.name, 'Adding a tool');
    assert.equal(page.firstError, undefined);
  });

  it('are found in suites and namespaces however deep, and not in the bodies of tests', async () => {
    const test = "it('holds', () => {\nconst local = 1;\n});\n";
    let text = `${test}function inner() {}\n`;
    for (const name of ['c', 'b', 'a']) text = `describe('${name}', () => {\n${text}});\n`;
    assert.deepEqual(shown(await outline('a.test.ts', text)), [
      "1-10 test 'a'",
      "2-9 test 'b'",
      "3-8 test 'c'",
      "4-6 test 'holds'",
      '7-7 function inner',
    ]);
    let spaces = 'export class Deep {\n  method() {}\n}\n';
    for (const name of ['C', 'B', 'A']) spaces = `export namespace ${name} {\n${spaces}}\n`;
    assert.deepEqual(
      (await outline('a.ts', spaces)).definitions.map(({ kind, name }) => `${kind} ${name}`),
      ['module A', 'module B', 'module C', 'class Deep', 'method method'],
    );
  });

  it('are found on both sides of broken code, and the first broken line is named', async () => {
    const text = 'class A {\n  one() {}\n}\nlet = = ;\n\nexport function after() {\n  return 1;\n}\n';
    const found = await outline('a.ts', text);
    assert.ok(shown(found).includes('1-3 class A'));
    assert.ok(shown(found).includes('2-2 method one'));
    assert.ok(shown(found).some((line) => line.endsWith('function after')));
    assert.ok(found.firstError === 4);
  });

  it('are within the text and in order, whatever the text', async () => {
    const files = samples.map(({ file, text }) => ({ file, text }));
    const cut = fc.record({
      sample: fc.constantFrom(...files),
      at: fc.nat(2000),
      noise: fc.string({ unit: 'binary' }),
    });
    await fc.assert(
      fc.asyncProperty(cut, async ({ sample: { file, text }, at, noise }) => {
        const broken = text.slice(0, at) + noise + text.slice(at + noise.length);
        const lines = broken.split('\n').length;
        const found = await outline(file, broken);
        let last = 1;
        for (const { start, end, line } of found.definitions) {
          assert.ok(start >= last && line >= start && end >= line && end <= lines, JSON.stringify(found));
          last = start;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are found in two megabytes', async () => {
    const part = 'export function handler(request: Request): Response {\n  return respond(request);\n}\n\n';
    const count = Math.ceil((2 * 1024 * 1024) / part.length);
    const { definitions, firstError } = await outline('a.ts', part.repeat(count));
    assert.deepEqual([definitions.length, firstError], [count, undefined]);
    assert.deepEqual(definitions.at(-1)?.start, (count - 1) * 4 + 1);
  });

  it('are not waited for after a stop, and found again after it', async () => {
    const stop = new AbortController();
    const call = definitions('typescript', 'function a() {}\n'.repeat(10_000), stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(call, new Error('stopped'));
    assert.deepEqual(shown(await outline('a.ts', 'function a() {}')), ['1-1 function a']);
  });
});
