import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { isToolAllowedForMode } from '../../src/core/modes/toolsForMode.ts';
import { tools } from '../../src/core/tools/index.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { validateToolUse } from '../../src/core/tools/validateToolUse.ts';
import type { ModeConfig } from '../../src/shared/modes.ts';
import { toolNames, type ToolName } from '../../src/shared/tools.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { decoded, parseNative, parseXml, withContext, type TestContext } from '../support/testContext.ts';
import { site, toolRows } from '../support/toolRows.ts';
import { toolsPage, type ToolCells } from '../support/toolsPage.ts';

const PAGE = join(dirname(dirname(import.meta.dirname)), 'docs', 'tools.md');
/** What no parameter of text should be taken for without a look. */
const HOSTILE = [
  '\0',
  '../../../../etc/passwd',
  '/proc/self/environ',
  '__proto__',
  'a\u202eb',
  'x'.repeat(200_000),
];
const nothing: ModeConfig = { slug: 'nothing', name: 'Nothing', roleDefinition: '', groups: [] };
/** An error says what to do now, not only what is wrong. */
const WAY_OUT =
  /\b(send|use|give|check|call|read|add|ask|end it|do without|go on|take|open|leave|do what|choose|the (servers|tools|modes) (here )?are|write|create|needs a|look|name a file|each block is)\b/i;

describe('every tool of the registry', () => {
  const create = withContext();
  const cells = new Map<ToolName, ToolCells>();
  const cellsOf = (name: ToolName): ToolCells => {
    const known = cells.get(name) ?? {};
    cells.set(name, known);
    return known;
  };

  for (const name of toolNames) {
    const row = toolRows[name];
    const prepare = async (): Promise<TestContext> => await create(row.context);

    it(`${name}: XML and native decode to the same`, () => {
      const seen = new Set<string>();
      for (const { args, xml = strings(args) } of [row, ...(row.also ?? [])]) {
        const native = decoded(parseNative(name, args));
        assert.deepEqual(decoded(parseXml(xmlCall(name, xml))), native);
        for (const [key, value] of Object.entries(args)) {
          assert.deepEqual(native[key], value, key);
          seen.add(key);
        }
      }
      const all = Object.keys(tools[name].schema.shape);
      assert.deepEqual([...seen].sort(), all.sort());
      cellsOf(name).same = all.length === 1 ? 'it' : `all ${all.length}`;
    });

    it(`${name}: what is missing or of the wrong kind is refused, with what to do`, async () => {
      const context = await prepare();
      for (const key of row.needs) {
        const { [key]: _left, ...rest } = row.args;
        const { error, prepared } = await context.native(name, rest);
        assert.equal(prepared, undefined, `${key} is needed`);
        assert.match(error ?? '', new RegExp(key));
        assert.match(error ?? '', WAY_OUT);
      }
      let wrong = 0;
      for (const key of Object.keys(tools[name].schema.shape))
        for (const value of [{ nothing: [1] }, [[1]], 5]) {
          const outcome = await context.native(
            name,
            { ...row.args, [key]: value },
            { answer: { allowed: false } },
          );
          if (outcome.error === undefined) continue;
          assert.match(outcome.error, WAY_OUT, `${key}: ${outcome.error}`);
          wrong++;
        }
      assert.ok(wrong > 0);
      Object.assign(cellsOf(name), { missing: `${row.needs.length} refused`, wrong: `${wrong} refused` });
    });

    it(`${name}: hostile parameters are refused or shown, never acted on`, async () => {
      const context = await prepare();
      const before = stateOf(context);
      for (const [args, words] of row.hostile) {
        const { error, text } = await context.native(name, args);
        assert.match(error ?? `no error: ${text ?? ''}`, words);
        assert.match(error ?? '', WAY_OUT);
        assert.ok((error ?? '').length < 1500, error);
      }
      let tried = row.hostile.length;
      for (const [key, value] of Object.entries(row.args)) {
        if (typeof value !== 'string') continue;
        for (const instead of HOSTILE) {
          const args = { ...row.args, [key]: instead };
          const { error, denied } = await context.native(name, args, { answer: { allowed: false } });
          assert.ok(error !== undefined || denied === true);
          assert.ok((error ?? '').length < 3000, `${key}: ${(error ?? '').slice(0, 300)}`);
          tried++;
        }
      }
      assert.deepEqual(stateOf(context), before);
      cellsOf(name).hostile = `${tried} tried`;
    });

    it(`${name}: after a no, and after a stop while it waits, all is as before`, async () => {
      const context = await prepare();
      const before = stateOf(context);
      const { denied, prepared } = await context.native(name, row.args, { answer: { allowed: false } });
      assert.ok(denied === true && prepared !== undefined);
      assert.deepEqual(stateOf(context), before);
      const controller = new AbortController();
      await assert.rejects(
        context.native(name, row.args, {
          signal: controller.signal,
          whileAsked: () => controller.abort(),
        }),
        { name: 'AbortError' },
      );
      assert.deepEqual(stateOf(context), before);
      const asks = prepared.actions.length > 0;
      Object.assign(cellsOf(name), { no: asks ? 'nothing done' : 'asks nobody', stop: 'nothing done' });
    });

    it(`${name}: stopped at any moment it ends, and leaves all as before or as after it`, async function () {
      this.timeout(120_000);
      const whole = await prepare();
      const before = relative(whole);
      assert.equal((await whole.native(name, row.args)).error, undefined);
      const after = relative(whole);
      let moments = 0;
      for (const later of [false, true])
        for (let moment = 1, reached = true; reached; moment++) {
          const context = await prepare();
          const controller = new AbortController();
          const stop = (): void => controller.abort();
          let steps = 0;
          const onStep = (): void => {
            if (++steps !== moment) return;
            if (later) setImmediate(stop);
            else stop();
          };
          const ended = await context.native(name, row.args, { signal: controller.signal, onStep }).then(
            ({ error }) => error ?? 'done',
            (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
          );
          reached = steps >= moment;
          assert.ok(ended === 'AbortError' || ended === 'done', `${moment}: ${ended}`);
          const state = relative(context);
          if (row.leaves !== true) assert.ok(state === before || state === after, `at moment ${moment}`);
          if (ended === 'done' && row.leaves !== true) assert.equal(state, after);
          await context.dispose();
          moments++;
        }
      const what = row.leaves === true ? 'what it did until then' : 'all or nothing';
      cellsOf(name).middle = moments > 2 ? what : 'has no middle';
    });

    it(`${name}: a mode that does not grant it refuses it`, () => {
      const allowed: ToolName[] = ['attempt_completion', 'switch_mode'];
      const always = isToolAllowedForMode(name, nothing);
      if (!always)
        assert.throws(
          () => validateToolUse(name, { mode: nothing, allowed }),
          (error) => {
            assert.ok(error instanceof ToolError);
            assert.match(error.message, /is not allowed in Nothing mode.*call switch_mode with one of: /);
            return true;
          },
        );
      cellsOf(name).mode = always ? 'every mode has it' : 'refused';
    });
  }

  after(async () => await site.stop());
  after('docs/tools.md says the same (else: npm run tools)', async () => {
    // Part of the tools only, by --grep: there is no whole table to compare.
    if ([...cells.values()].some((one) => Object.keys(one).length < 8) || cells.size < toolNames.length)
      return;
    const page = await format(toolsPage(cells), { ...(await resolveConfig(PAGE)), filepath: PAGE });
    if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(PAGE, page);
    assert.equal(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '', page, 'npm run tools');
  });
});

function strings(args: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** The same of two contexts: without where they are and what is named at random. */
function relative(context: TestContext): string {
  return JSON.stringify(stateOf(context))
    .replaceAll(context.root, '')
    .replace(/-[0-9a-f]{8}\./g, '-.');
}

/** All that a call can change: files, kept output, notes, todo list, mode, questions. */
function stateOf(context: TestContext): unknown {
  const inFolder = (root: string): string[][] =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => [
        path,
        statSync(join(root, path)).isFile() ? readFileSync(join(root, path), 'utf8') : '',
      ]);
  const { root, artifacts, todos, switched, asked, subtasks } = context;
  const notes = join(context.home, 'memory');
  const kept = existsSync(notes) ? inFolder(notes).map(([, text]) => text) : [];
  return [inFolder(root), inFolder(artifacts), kept, [...todos], [...switched], [...asked], [...subtasks]];
}
