import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { BaseTool } from '../../src/core/tools/BaseTool.ts';
import { toolByName, tools } from '../../src/core/tools/index.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { ToolRepetitionDetector } from '../../src/core/tools/ToolRepetitionDetector.ts';
import { validateToolUse } from '../../src/core/tools/validateToolUse.ts';
import { builtInModes } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { toolNames, toolParamNames, type ToolUse } from '../../src/shared/tools.ts';
import { parseNative, withContext } from '../support/testContext.ts';

const call = (name: string, nativeArgs: Record<string, unknown>): ToolUse => ({
  ...parseNative('read_file', {}),
  name,
  params: {},
  nativeArgs,
});

describe('every tool', () => {
  const create = withContext();

  it('is known by its name and by nothing else', () => {
    assert.deepEqual(Object.keys(tools).sort(), [...toolNames].sort());
    for (const name of toolNames) {
      const tool = toolByName(name);
      assert.ok(tool instanceof BaseTool);
      assert.equal(tool.name, name);
      for (const parameter of Object.keys(tool.schema.shape))
        assert.ok((toolParamNames as readonly string[]).includes(parameter), `${name}: ${parameter}`);
    }
    for (const name of ['', 'toString', '__proto__', 'constructor', 'READ_FILE', 'read_file '])
      assert.equal(toolByName(name), undefined);
  });

  it('shows any half call without failing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...toolNames),
        fc.dictionary(fc.constantFrom(...toolParamNames), fc.string()),
        (name, params) => {
          const view = tools[name].view(params);
          assert.equal(typeof view.subject, 'string');
        },
      ),
    );
  });

  it('answers any arguments with a decoded call or with words, never with a crash', () => {
    const value = fc.oneof(
      fc.string(),
      fc.jsonValue(),
      fc.constantFrom(null, '', '[]', '{}', 'NaN', '1e999', '-1'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...toolNames),
        fc.dictionary(fc.constantFrom(...toolParamNames), value),
        (name, args) => {
          const strings = Object.fromEntries(
            Object.entries(args).map(([key, one]) => [
              key,
              typeof one === 'string' ? one : JSON.stringify(one),
            ]),
          );
          for (const use of [
            call(name, args),
            { ...call(name, {}), origin: 'xml' as const, params: strings },
          ])
            try {
              tools[name].decode(use);
            } catch (error) {
              assert.ok(error instanceof ToolError, String(error));
              assert.ok(error.message.length < 3000, error.message.slice(0, 200));
            }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('keeps nothing between calls: two tasks at once do not meet (8)', async () => {
    const [one, two] = [
      await create({ files: { 'a.txt': 'one\n' } }),
      await create({ files: { 'a.txt': 'two\n' } }),
    ];
    const outcomes = await Promise.all(
      [one, two, one, two].map((context) => context.xml('read_file', { path: 'a.txt' })),
    );
    assert.deepEqual(
      outcomes.map(({ text }) => /1 \| (.*)/.exec(text ?? '')?.[1]),
      ['one', 'two', 'one', 'two'],
    );
    for (const tool of Object.values(tools)) {
      const before = JSON.stringify(tool);
      tool.view({ path: 'x', command: 'y' });
      assert.equal(JSON.stringify(tool), before);
    }
  });
});

describe('validateToolUse', () => {
  const mode = (slug: string) => builtInModes.find((one) => one.slug === slug)!;
  const words = (name: string, slug: string): string => {
    try {
      const allowed = toolsForMode(mode(slug), {
        compact: false,
        settings: editorSettingsSchema.parse({}),
        isAvailable: () => true,
      });
      validateToolUse(name, { mode: mode(slug), allowed });
      return '';
    } catch (error) {
      if (error instanceof ToolError) return error.message;
      throw error;
    }
  };

  it('lets a mode use its groups and what is always there', () => {
    assert.equal(words('write_to_file', 'code'), '');
    assert.equal(words('apply_diff', 'architect'), '');
    assert.equal(words('read_file', 'ask'), '');
    assert.equal(words('switch_mode', 'orchestrator'), '');
  });

  it('refuses the rest, and names what can be done', () => {
    for (const name of ['write_to_file', 'apply_diff', 'execute_command'])
      assert.match(
        words(name, 'ask'),
        new RegExp(
          `^${name} is not allowed in Ask mode\\. The tools here are: read_file, .*attempt_completion.*\\. If the task needs it, call switch_mode with one of: .*code`,
        ),
      );
    assert.match(words('read_file', 'orchestrator'), /not allowed/);
  });

  it('refuses what is no tool', () => {
    assert.match(
      words('run_anything', 'code'),
      /^There is no tool 'run_anything'\. The tools here are: read_file, .*attempt_completion.*\.$/,
    );
    for (const name of ['', 'toString', '__proto__', 'x'.repeat(10_000)]) {
      assert.match(words(name, 'code'), /^There is no tool/);
      assert.ok(words(name, 'code').length < 2000);
    }
  });
});

describe('ToolRepetitionDetector', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((path) => call('read_file', { path, start_line: 1 })) as [
    ToolUse,
    ToolUse,
    ToolUse,
  ];
  const stoppedAt = (calls: readonly ToolUse[]): number[] => {
    const detector = new ToolRepetitionDetector();
    return calls.flatMap((one, index) => (detector.check(one) === undefined ? [] : [index]));
  };

  it('stops the fourth identical call, and those after it', () => {
    assert.deepEqual(stoppedAt([a, a, a]), []);
    assert.deepEqual(stoppedAt([a, a, a, a, a, b, a]), [3, 4]);
    assert.match(new ToolRepetitionDetector().check(a) ?? '', /^$/);
  });

  it('takes the same parameters in another order, and another protocol’s spelling, as the same call', () => {
    const turned = call('read_file', { start_line: 1, path: 'a' });
    assert.deepEqual(stoppedAt([a, turned, a, turned]), [3]);
    assert.deepEqual(stoppedAt([a, a, a, call('list_files', { path: 'a', start_line: 1 })]), []);
  });

  it('stops calls that go round in a circle', () => {
    assert.deepEqual(stoppedAt([a, b, a, b]), []);
    assert.deepEqual(stoppedAt([a, b, a, b, a, b]), [5]);
    assert.deepEqual(stoppedAt([a, b, c, a, b, c, a, b, c]), [8]);
    assert.deepEqual(stoppedAt([a, a, b, a, a, b, a, b, c]), []);
  });

  it('begins anew when the person has spoken', () => {
    const detector = new ToolRepetitionDetector();
    for (let times = 0; times < 3; times++) detector.check(a);
    detector.reset();
    assert.equal(detector.check(a), undefined);
  });

  it('stays small', () => {
    const detector = new ToolRepetitionDetector();
    for (let index = 0; index < 20_000; index++)
      assert.equal(detector.check(call('read_file', { path: String(index) })), undefined);
  });
});
