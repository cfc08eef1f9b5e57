import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editRestriction, mayEdit, toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { systemPrompt } from '../../src/core/prompts/system.ts';
import { nativeTools } from '../../src/core/prompts/tools/index.ts';
import { tools } from '../../src/core/tools/index.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { validateToolUse } from '../../src/core/tools/validateToolUse.ts';
import { builtInModes, modeConfigSchema, type GroupEntry, type ModeConfig } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { TOOL_GROUPS, toolGroupNames, toolNames, type ToolName } from '../../src/shared/tools.ts';
import { modeOf, PolicyBench } from '../support/PolicyBench.ts';

const groupEntry: fc.Arbitrary<GroupEntry> = fc.oneof(
  fc.constantFrom(...toolGroupNames),
  fc.tuple(fc.constantFrom(...toolGroupNames), fc.record({ fileRegex: fc.constantFrom('\\.md$', '^src/') })),
);
const customMode: fc.Arbitrary<ModeConfig> = fc
  .uniqueArray(groupEntry, { maxLength: 5, selector: (entry) => JSON.stringify(entry) })
  .map((groups) =>
    modeConfigSchema.parse({ slug: 'own', name: 'Own', roleDefinition: 'You are one.', groups }),
  );
const anyMode = fc.oneof(fc.constantFrom(...builtInModes), customMode);

interface Conditions {
  mode: ModeConfig;
  protocol: 'xml' | 'native';
  compact: boolean;
  todoList: boolean;
  unavailable: ToolName[];
}
const conditions: fc.Arbitrary<Conditions> = fc.record({
  mode: anyMode,
  protocol: fc.constantFrom('xml', 'native'),
  compact: fc.boolean(),
  todoList: fc.boolean(),
  unavailable: fc.subarray([...toolNames], { maxLength: 3 }),
});

/** The tools as the model sees them: headings of the prompt, or functions of the request. */
function seenByModel({ mode, protocol, compact, todoList, unavailable }: Conditions): {
  seen: string[];
  offered: ToolName[];
} {
  const settings = editorSettingsSchema.parse({ todoList });
  const isAvailable = (name: ToolName): boolean => !unavailable.includes(name);
  const offered = toolsForMode(mode, { compact, settings, isAvailable });
  const inPrompt = offered.map((name) => tools[name]);
  const describe = { protocol, settings, singleFileRead: compact, modes: [...builtInModes] };
  const prompt = systemPrompt({
    mode,
    modes: builtInModes,
    tools: inPrompt,
    describe,
    compact,
    projectRules: [],
    personalRules: [],
    platform: 'linux',
    shell: 'bash',
    workspace: 'project',
    date: '2026-01-31',
  });
  const headings = [...prompt.matchAll(/^## (\w+)$/gm)].map((match) => match[1] ?? '');
  const functions = nativeTools(inPrompt, describe).map(({ name }) => name);
  if (protocol === 'native') assert.deepEqual(headings, []);
  return { seen: protocol === 'xml' ? headings : functions, offered };
}

function isRefused(name: string, mode: ModeConfig, allowed: readonly ToolName[]): boolean {
  try {
    validateToolUse(name, { mode, allowed });
    return false;
  } catch (error) {
    if (error instanceof ToolError) return true;
    throw error;
  }
}

/** Granted to models that know it without being told. */
function isCustom(name: ToolName, mode: ModeConfig): boolean {
  return mode.groups.some((entry) => {
    const group = typeof entry === 'string' ? entry : entry[0];
    return TOOL_GROUPS[group].customTools?.includes(name) === true;
  });
}

describe('the tools of a mode', () => {
  it('are the same in the prompt and for validation: each that is told runs, and no other but the group’s own custom ones', () => {
    fc.assert(
      fc.property(conditions, (given) => {
        const { seen, offered } = seenByModel(given);
        for (const name of toolNames)
          assert.equal(
            isRefused(name, given.mode, offered),
            !seen.includes(name) && !isCustom(name, given.mode),
            name,
          );
      }),
    );
  });

  it('in each built-in mode, written out', () => {
    const always = [
      'ask_followup_question',
      'attempt_completion',
      'switch_mode',
      'new_task',
      'update_todo_list',
      'memory',
      'report_bug',
      'condense',
    ];
    const read = [
      'read_file',
      'list_files',
      'search_files',
      'list_code_definition_names',
      'codebase_search',
      'fetch_instructions',
    ];
    const mcp = ['use_mcp_tool', 'access_mcp_resource'];
    const edit = ['write_to_file', 'apply_diff', 'delete_file', 'generate_image'];
    const offered = builtInModes.map((mode) => [
      mode.slug,
      toolsForMode(mode, { compact: false, settings: { todoList: true }, isAvailable: () => true }),
    ]);
    assert.deepEqual(Object.fromEntries(offered), {
      code: [...read, ...edit, 'execute_command', 'browser_action', 'web_fetch', ...mcp, ...always],
      architect: [...read, ...edit, 'browser_action', 'web_fetch', ...mcp, ...always],
      ask: [...read, 'browser_action', 'web_fetch', ...mcp, ...always],
      debug: [...read, ...edit, 'execute_command', 'browser_action', 'web_fetch', ...mcp, ...always],
      orchestrator: always,
      review: [...read, 'execute_command', 'browser_action', 'web_fetch', ...mcp, ...always],
    });
  });

  it('compact: the eight that matter; a mode that can only hand over still can', () => {
    const compact = (mode: string): ToolName[] =>
      toolsForMode(modeOf(mode), { compact: true, settings: { todoList: true }, isAvailable: () => true });
    assert.equal(compact('code').length, 8);
    assert.deepEqual(compact('ask'), [
      'read_file',
      'list_files',
      'search_files',
      'ask_followup_question',
      'attempt_completion',
    ]);
    assert.deepEqual(compact('orchestrator'), [
      'ask_followup_question',
      'attempt_completion',
      'switch_mode',
      'new_task',
    ]);
  });

  it('names that are no tools are refused, however they look', () => {
    const names = fc.oneof(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'toString',
        'Read_File',
        'read_file ',
        '',
        'read-file',
        'delete_file',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!(toolNames as readonly string[]).includes(name));
        assert.equal(isRefused(name, modeOf('code'), toolNames), true);
      }),
    );
  });

  it('a refusal says what to do instead', () => {
    const words = (name: string, mode: string, allowed: readonly ToolName[]): string => {
      try {
        validateToolUse(name, { mode: modeOf(mode), allowed });
      } catch (error) {
        if (error instanceof ToolError) return error.message;
        throw error;
      }
      throw new Error('not refused');
    };
    assert.equal(
      words('write_to_file', 'ask', ['read_file', 'switch_mode']),
      'write_to_file is not allowed in Ask mode. The tools here are: read_file, switch_mode. If the task needs it, call switch_mode with one of: code, architect, debug.',
    );
    assert.equal(
      words('write_to_file', 'ask', ['read_file']),
      'write_to_file is not allowed in Ask mode. The tools here are: read_file. If the task needs it, ask the person to choose one of the modes code, architect, debug.',
    );
    assert.equal(
      words('update_todo_list', 'code', ['read_file']),
      'update_todo_list cannot be used here. The tools here are: read_file.',
    );
    assert.equal(
      words('frobnicate', 'code', ['read_file']),
      "There is no tool 'frobnicate'. The tools here are: read_file.",
    );
  });
});

describe('the files that a mode may edit', () => {
  const restricted = (fileRegex: string): ModeConfig =>
    modeConfigSchema.parse({
      slug: 'own',
      name: 'Own',
      roleDefinition: 'You are one.',
      groups: ['read', ['edit', { fileRegex }]],
    });

  it('are those that its expression matches', () => {
    const paths = ['a.md', 'docs/a.md', 'a.mdx', 'a.md/b.ts', 'A.MD'];
    const may = (mode: ModeConfig): string[] => paths.filter((path) => mayEdit(mode, path));
    assert.deepEqual(may(modeOf('architect')), ['a.md', 'docs/a.md']);
    assert.deepEqual(may(modeOf('code')), paths);
    assert.deepEqual(may(restricted('^docs/')), ['docs/a.md']);
  });

  it('are none when the expression is broken, too long, or does not come to an end', () => {
    for (const expression of ['(', '[z-a]', '*', `(${'a|'.repeat(600)}a)`])
      assert.equal(mayEdit(restricted(expression), 'a'), false, expression.slice(0, 20));
    for (const expression of ['^(a+)+$', '^(a|aa)+$', '(a*)*b', '^(.*a){25}$'])
      assert.equal(mayEdit(restricted(expression), `${'a'.repeat(60)}!`), false, expression);
  });

  it('a broken expression is one restriction too many, not none', () => {
    assert.deepEqual(editRestriction(restricted('(')), { fileRegex: '(', description: 'files matching (' });
  });

  it('are judged by their real names, outside the workspace too', async () => {
    const bench = await PolicyBench.open();
    try {
      bench.write('workspace/src/a.ts');
      bench.write('workspace/plan.md');
      bench.write('other/a.ts');
      bench.link('workspace/innocent.md', 'src/a.ts');
      bench.link('workspace/docs.md', '../other');
      const refused = async (path: string): Promise<boolean> =>
        'refused' in
        (await bench.judge('write_to_file', { path, content: 'x\n' }, { mode: modeOf('architect') }));
      assert.deepEqual(
        [
          await refused('plan.md'),
          await refused('new/plan.md'),
          await refused('innocent.md'),
          await refused('docs.md/a.ts'),
          await refused('../other/a.ts'),
          await refused('../other/a.md'),
        ],
        [false, false, true, true, true, false],
      );
    } finally {
      await bench.close();
    }
  });
});
