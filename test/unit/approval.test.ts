import assert from 'node:assert/strict';
import { join } from 'node:path';
import { approvalPolicySchema, type ApprovalPolicy } from '../../src/shared/approvals.ts';
import { builtInModes } from '../../src/shared/modes.ts';
import { message } from '../../src/shared/strings.ts';
import { pathsOfPatch } from '../../src/shared/viewOfCall.ts';
import { TOOL_GROUPS, toolNames } from '../../src/shared/tools.ts';
import { modeOf, PolicyBench, type Judged } from '../support/PolicyBench.ts';

/** The person's automatic settings, and a policy under which a change would be noticed. */
const settings: Record<string, Partial<ApprovalPolicy['auto']>> = {
  none: { read: false },
  reads: {},
  edits: { edit: true },
  modes: { read: false, switchMode: true },
  all: { all: true },
};

const diff = '<<<<<<< SEARCH\ntext\n=======\nother\n>>>>>>> REPLACE';
const read = (path: string): [string, Record<string, unknown>] => ['read_file', { path }];
const write = (path: string): [string, Record<string, unknown>] => [
  'write_to_file',
  { path, content: 'new\n' },
];
const change = (path: string): [string, Record<string, unknown>] => ['apply_diff', { path, diff }];
const replace = (path: string): [string, Record<string, unknown>] => [
  'search_replace',
  { file_path: path, old_string: 'text', new_string: 'other' },
];
const edit = (path: string): [string, Record<string, unknown>] => [
  'edit_file',
  { file_path: path, old_string: 'text', new_string: 'other' },
];
const replaceAll = (path: string): [string, Record<string, unknown>] => [
  'search_and_replace',
  { path, search: 'text', replace: 'other' },
];
const insert = (path: string): [string, Record<string, unknown>] => [
  'insert_content',
  { path, line: 1, content: 'other' },
];
const patch = (path: string): [string, Record<string, unknown>] => [
  'apply_patch',
  { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-text\n+other\n*** End Patch` },
];
const remove = (path: string): [string, Record<string, unknown>] => ['delete_file', { path }];
const rule = (path: string): [string, Record<string, unknown>] => ['new_rule', { path, content: 'x' }];
// A new file takes no model to merge it.
const fast = (path: string): [string, Record<string, unknown>] => [
  'fast_edit_file',
  { target_file: path, instructions: '', code_edit: 'x' },
];
const list = (path: string): [string, Record<string, unknown>] => ['list_files', { path }];
const search = (path: string): [string, Record<string, unknown>] => ['search_files', { path, regex: 'x' }];
const definitions = (path: string): [string, Record<string, unknown>] => [
  'list_code_definition_names',
  { path },
];
const question = (path: string): [string, Record<string, unknown>] => [
  'codebase_search',
  { query: 'where is it', path },
];
const command = (cwd: string): [string, Record<string, unknown>] => [
  'execute_command',
  { command: 'ls', cwd },
];

type Row = [[string, Record<string, unknown>], ...string[]];
const browse = (url: string): [string, Record<string, unknown>] => [
  'browser_action',
  { action: 'launch', url },
];
const fetch = (url: string): [string, Record<string, unknown>] => ['web_fetch', { url }];

/**
 * What approval says in code mode, a column a setting: `allow`, or why it asks. `!` before a reason: Approve takes a click.
 * `refused` by the gate, whatever the setting.
 */
const table: Row[] = [
  //                                     none                reads               edits               modes               all
  [read('src/a.ts'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  [write('src/a.ts'), 'kind', 'kind', 'allow', 'kind', 'allow'],
  [write('src/new/b.ts'), 'kind', 'kind', 'allow', 'kind', 'allow'],
  [change('src/a.ts'), 'kind', 'kind', 'allow', 'kind', 'allow'],
  ...[replace, edit, replaceAll, insert, patch].flatMap((call): Row[] => [
    [call('src/a.ts'), 'kind', 'kind', 'allow', 'kind', 'allow'],
    [call('.vscode/settings.json'), '!protected', '!protected', '!protected', '!protected', 'allow'],
    [call('link/file.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
    [call('hidden/x.txt'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  ]),
  [fast('src/new/c.ts'), 'kind', 'kind', 'allow', 'kind', 'allow'],
  [fast('src/a.ts'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [fast('.vscode/new.json'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  // A rule steers every task: it asks as any protected file does.
  [rule('.lathe/rules/a.md'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [rule('src/a.ts'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  // Deleting is not editing: it asks where edits do not.
  [remove('src/a.ts'), 'kind', 'kind', 'kind', 'kind', 'allow'],
  [remove('src'), 'kind', 'kind', 'kind', 'kind', 'allow'],
  [remove('.vscode/settings.json'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [remove('link/file.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [remove('hidden'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [remove('.'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [list('src'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  [search('.'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  ...[definitions, question].flatMap((call): Row[] => [
    [call('src'), 'kind', 'allow', 'allow', 'kind', 'allow'],
    [call('hidden'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  ]),
  [definitions('link'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  // Only the workspace is indexed.
  [question('link'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  // Protected: an edit always asks, reading it shows no secret.
  [read('.vscode/settings.json'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  [write('.vscode/settings.json'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [change('.vscode/settings.json'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [write('.git/hooks/pre-commit'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [write('.lathe/rules/a.md'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [write('AGENTS.md'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [write('.latheignore'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [list('.git'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  // Secrets: reading asks as well.
  [read('.env'), '!secret', '!secret', '!secret', '!secret', 'allow'],
  [write('.env'), '!protected', '!protected', '!protected', '!protected', 'allow'],
  [search('.env'), '!secret', '!secret', '!secret', '!secret', 'allow'],
  [read('.git/config'), '!secret', '!secret', '!secret', '!secret', 'allow'],
  [read('.env.example'), 'kind', 'allow', 'allow', 'kind', 'allow'],
  [write('.env.example'), 'kind', 'kind', 'allow', 'kind', 'allow'],
  // Outside, by every way there.
  [read('../other/file.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [write('../other/file.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [read('link/file.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [write('link/new.md'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [list('..'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [search('link'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  [
    read('../home/settings.json'),
    '!outside!secret',
    '!outside!secret',
    '!outside!secret',
    '!outside!secret',
    'allow',
  ],
  [
    write('../home/settings.json'),
    '!outside!protected',
    '!outside!protected',
    '!outside!protected',
    '!outside!protected',
    'allow',
  ],
  // What was kept of this task's own output; not another's, and not for writing.
  [read('../home/tasks/one/artifacts/out.txt'), 'allow', 'allow', 'allow', 'allow', 'allow'],
  [
    read('../home/tasks/two/artifacts/out.txt'),
    '!outside!secret',
    '!outside!secret',
    '!outside!secret',
    '!outside!secret',
    'allow',
  ],
  [
    write('../home/tasks/one/artifacts/out.txt'),
    '!outside!protected',
    '!outside!protected',
    '!outside!protected',
    '!outside!protected',
    'allow',
  ],
  // Commands, wherever.
  [command('.'), 'command', 'command', 'command', 'command', 'allow'],
  [command('src'), 'command', 'command', 'command', 'command', 'allow'],
  [command('..'), '!outside', '!outside', '!outside', '!outside', 'allow'],
  // Pages of the web and of this machine; no file of it.
  [browse('http://localhost:3000'), 'browse', 'browse', 'browse', 'browse', 'allow'],
  [browse('http://8.8.8.8/'), 'browse', 'browse', 'browse', 'browse', 'allow'],
  [browse('file:///etc/passwd'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [browse('http://169.254.169.254/'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [fetch('http://8.8.8.8/'), 'browse', 'browse', 'browse', 'browse', 'allow'],
  [fetch('http://localhost:3000/'), 'browse', 'browse', 'browse', 'browse', 'allow'],
  [fetch('http://169.254.169.254/'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  // Hidden, the root itself, nothing, the kernel: never, not even under a standing yes.
  [read('hidden/x.txt'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [write('hidden/new.txt'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [list('hidden'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [search('hidden'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [read('alias.txt'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [write('.'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [write('..'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [read('/proc/self/environ'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  [read('src/\u202Etxt.a'), 'refused', 'refused', 'refused', 'refused', 'refused'],
  // Servers: there is none on the bench, and what is not there is refused before anyone is asked.
  [
    ['use_mcp_tool', { server_name: 'a', tool_name: 'b' }],
    'refused',
    'refused',
    'refused',
    'refused',
    'refused',
  ],
  [
    ['access_mcp_resource', { server_name: 'a', uri: 'a://b' }],
    'refused',
    'refused',
    'refused',
    'refused',
    'refused',
  ],
  // No image model on the bench.
  [
    ['generate_image', { prompt: 'a lathe', path: 'src/a.png' }],
    'refused',
    'refused',
    'refused',
    'refused',
    'refused',
  ],
  // A report is read by the person first, whatever is automatic.
  [['report_bug', { title: 'a', description: 'b' }], 'report', 'report', 'report', 'report', 'allow'],
  // A note lasts: keeping one asks, reading them does not.
  [['memory', { action: 'add', content: 'a' }], 'note', 'note', 'note', 'note', 'allow'],
  [['memory', { action: 'delete', id: 'n000000' }], 'refused', 'refused', 'refused', 'refused', 'refused'],
  [['memory', { action: 'list' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
  // What touches nothing.
  [['switch_mode', { mode_slug: 'ask' }], 'kind', 'kind', 'kind', 'allow', 'allow'],
  [['new_task', { mode: 'ask', message: 'look' }], 'kind', 'kind', 'kind', 'allow', 'allow'],
  [['ask_followup_question', { question: 'Which?' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
  [['attempt_completion', { result: 'Done.' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
  [['fetch_instructions', { task: 'create_mode' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
  // An experiment: refused until its setting is on.
  [['run_slash_command', { command: 'a' }], 'refused', 'refused', 'refused', 'refused', 'refused'],
  [['update_todo_list', { todos: '[ ] a' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
  [['condense', { message: 'What was done.' }], 'allow', 'allow', 'allow', 'allow', 'allow'],
];

/** Which of the table's calls a mode refuses that code mode does not. */
const forbidden: Record<string, (tool: string, path: string) => boolean> = {
  code: () => false,
  debug: () => false,
  architect: (tool, path) => tool === 'execute_command' || (edits(tool) && !path.endsWith('.md')),
  ask: (tool) => tool === 'execute_command' || edits(tool),
  review: (tool) => edits(tool),
  orchestrator: (tool) =>
    tool === 'execute_command' ||
    tool === 'browser_action' ||
    tool === 'web_fetch' ||
    edits(tool) ||
    TOOL_GROUPS.read.tools.some((name) => name === tool),
};

function edits(tool: string): boolean {
  return [...TOOL_GROUPS.edit.tools, ...(TOOL_GROUPS.edit.customTools ?? [])].some((name) => name === tool);
}

const reasons = {
  kind: 'why.kindAsks',
  command: 'why.command',
  browse: 'why.browse',
  report: 'why.report',
  note: 'why.note',
  protected: 'why.protected',
  secret: 'why.secret',
  outside: 'why.outsideWorkspace',
} as const;

function expected(cell: string, path: string): Judged {
  if (cell === 'allow') return { verdict: 'allow', why: [], dangerous: false };
  const dangerous = cell.startsWith('!');
  const why = cell.split('!').filter((one) => one !== '') as (keyof typeof reasons)[];
  return {
    verdict: 'ask',
    why: why.map((one) => message(reasons[one], dangerous ? { path } : undefined)),
    dangerous,
  };
}

describe('approval of every tool in every mode under every setting', () => {
  let bench: PolicyBench;

  before(async () => {
    bench = await PolicyBench.open();
    for (const path of [
      'src/a.ts',
      '.vscode/settings.json',
      '.env',
      '.git/config',
      '.env.example',
      'hidden/x.txt',
    ])
      bench.write(`workspace/${path}`);
    bench.write('workspace/.latheignore', 'hidden/\n');
    for (const path of ['other/file.md', 'home/settings.json', 'home/tasks/two/artifacts/out.txt'])
      bench.write(path);
    bench.write('home/tasks/one/artifacts/out.txt');
    bench.link('workspace/link', '../other');
    bench.link('workspace/alias.txt', 'hidden/x.txt');
  });
  after(() => bench.close());

  it('the table has every tool', () => {
    assert.deepEqual(new Set(table.map(([[tool]]) => tool)), new Set(toolNames));
  });

  for (const { slug } of builtInModes)
    for (const [column, name] of Object.keys(settings).entries())
      it(`${slug} mode, automatic: ${name}`, async () => {
        const mode = modeOf(slug);
        for (const [[tool, params], ...cells] of table) {
          const patched = typeof params.patch === 'string' ? pathsOfPatch(params.patch) : [];
          const path =
            [params.path, params.file_path, params.target_file, params.cwd, ...patched].find(
              (one) => typeof one === 'string',
            ) ?? '';
          const judged = await bench.judge(tool, params, {
            mode,
            policy: { auto: approvalPolicySchema.parse({ auto: settings[name] }).auto },
          });
          const row = `${tool} ${path}`;
          const cell = cells[column] ?? '';
          const self = tool === 'switch_mode' && slug === params.mode_slug;
          if (cell === 'refused' || self || forbidden[slug]?.(tool, path)) {
            assert.deepEqual(Object.keys(judged), ['refused'], row);
            continue;
          }
          // Links resolved: what is asked about is the file that would be touched.
          const real = join(bench.root, path.replace(/^link\b/, '../other'));
          assert.deepEqual(judged, expected(cell, real), row);
        }
      });
});
