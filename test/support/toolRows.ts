import type { BrowserHost } from '../../src/core/host/Host.ts';
import type { McpHost } from '../../src/core/host/McpHost.ts';
import type { McpOutcome } from '../../src/shared/mcp.ts';
import type { ToolName } from '../../src/shared/tools.ts';
import type { TestContextOptions } from './testContext.ts';
import { WebSite } from './WebSite.ts';

/** What the table of docs/tools.md is made of for one tool: a call that can be made, and what must be said of others. */
export interface ToolRow {
  /** A good call, natively. */
  args: Record<string, unknown>;
  /** The same in XML, where that is not the same words. */
  xml?: Record<string, string>;
  /** Parameters that the call cannot do without. */
  needs: readonly string[];
  /** Calls that must be refused, with what is said. */
  hostile: readonly [Record<string, unknown>, RegExp][];
  /** Other forms of the call, so that every parameter is seen in both protocols. */
  also?: readonly Pick<ToolRow, 'args' | 'xml'>[];
  /** What must be there for the call. */
  context?: TestContextOptions;
  /** A stopped call leaves what it did until then, as commands do. */
  leaves?: true;
}

const files = { 'a.txt': 'one\ntwo\n' };
const outside = '../../outside/a.txt';
const diff = '<<<<<<< SEARCH\none\n=======\nnew & <new>\n>>>>>>> REPLACE';
const patch = (path: string): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-one\n+new\n*** End Patch`;
const kernel = /system's own file systems/;

const found: McpOutcome = { type: 'result', isError: false, content: [{ type: 'text', text: 'found' }] };
const mcp: McpHost = {
  servers: () => [
    {
      name: 'docs',
      id: 'docs',
      source: { kind: 'user', path: '/home/mcp.json' },
      transport: 'stdio',
      state: { type: 'ready' },
      tools: [
        {
          name: 'look',
          id: 'look',
          description: '',
          inputSchema: { type: 'object' },
          enabled: true,
          automatic: false,
          changed: false,
        },
      ],
      resources: [{ uri: 'docs://a', name: 'a' }],
      resourceTemplates: [],
      prompts: [],
      problems: [],
    },
  ],
  check: () => Promise.resolve(undefined),
  call: () => Promise.resolve(found),
  read: () => Promise.resolve(found),
  prompt: () => Promise.reject(new Error('not asked')),
  complete: () => Promise.reject(new Error('not asked')),
};
/** A page that can really be fetched; whoever takes the rows stops it. */
export const site = await WebSite.start({
  '/a?b=1&c=%3Cd%3E': '<title>A</title><p>Here.</p>',
  '/away': (_request, response) => response.writeHead(302, { location: 'https://docs.test/' }).end(),
});
const page = { url: 'http://127.0.0.1:1/', title: '', log: '', notices: [], size: { width: 1, height: 1 } };
const browser: BrowserHost = {
  found: '/browser',
  placeOf: () => Promise.resolve('loopback'),
  open: () =>
    Promise.resolve({
      ...{ isOpen: true, url: '', size: page.size },
      act: () => Promise.resolve(page),
      picture: () => Promise.resolve(new Uint8Array()),
      close: () => Promise.resolve(),
    }),
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Every tool of the registry: one that is missing here does not compile. */
export const toolRows: Record<ToolName, ToolRow> = {
  read_file: {
    args: { path: 'a.txt', start_line: 1, end_line: 2 },
    also: [
      { args: { paths: ['a.txt', 'b & c.txt'] } },
      {
        args: { show_line_numbers: false, args: [{ path: 'a.txt', line_range: ['1-2'] }] },
        xml: {
          show_line_numbers: 'false',
          args: '<file><path>a.txt</path><line_range>1-2</line_range></file>',
        },
      },
    ],
    needs: ['path'],
    hostile: [
      [{ path: '/proc/self/environ' }, kernel],
      [{ path: 'a.txt', start_line: 2, end_line: 1 }, /Give the first line first/],
    ],
    context: { files },
  },
  list_files: {
    args: { path: '.', recursive: true },
    needs: ['path'],
    hostile: [[{ path: '/proc' }, kernel]],
    context: { files },
  },
  search_files: {
    args: { path: '.', regex: 'o\\w+ & <o>', file_pattern: '*.txt' },
    needs: ['path', 'regex'],
    hostile: [[{ path: '/proc', regex: 'x' }, kernel]],
    context: { files },
  },
  list_code_definition_names: {
    args: { path: 'a.ts' },
    needs: ['path'],
    hostile: [[{ path: '/proc/self/environ' }, kernel]],
    context: { files: { 'a.ts': 'function a() {}\n' } },
  },
  codebase_search: {
    args: { query: 'where is <it> & why', path: 'src' },
    needs: ['query'],
    hostile: [[{ query: 'x', path: '../..' }, /outside the workspace/]],
    context: {
      files: { 'src/a.ts': '' },
      host: { codeIndex: { search: () => Promise.resolve({ places: [], indexed: 1, total: 1 }) } },
    },
  },
  write_to_file: {
    args: { path: 'b.txt', content: 'a &lt; b\n</path> <b>\n', line_count: 2 },
    also: [{ args: { path: 'a.txt', content: 'three\n', mode: 'append' } }],
    needs: ['path', 'content'],
    hostile: [
      [{ path: '/proc/self/environ', content: 'x' }, kernel],
      [{ path: '.', content: 'x' }, /not a file|folder|root/i],
    ],
    context: { files },
  },
  apply_diff: {
    args: { path: 'a.txt', diff },
    also: [
      {
        args: { args: [{ path: 'a.txt', diff: [{ content: diff, start_line: 1 }] }] },
        xml: {
          args: `<file><path>a.txt</path><diff><content>${diff}</content><start_line>1</start_line></diff></file>`,
        },
      },
    ],
    needs: ['path', 'diff'],
    hostile: [
      [{ path: '/proc/self/environ', diff }, kernel],
      [{ path: 'a.txt', diff: 'no block' }, /SEARCH/],
    ],
    context: { files },
  },
  search_replace: {
    args: { file_path: 'a.txt', old_string: 'one', new_string: '$& &amp; </new_string>' },
    needs: ['file_path', 'old_string', 'new_string'],
    hostile: [[{ file_path: '/proc/self/environ', old_string: 'a', new_string: 'b' }, kernel]],
    context: { files },
  },
  edit_file: {
    args: { file_path: 'a.txt', old_string: 'one', new_string: '$1 &amp; <b>', expected_replacements: 1 },
    also: [{ args: { target_file: 'a.txt', instructions: 'a < b', code_edit: '// ... <b>\n&amp;' } }],
    needs: ['file_path', 'old_string', 'new_string'],
    hostile: [[{ file_path: '/proc/self/environ', old_string: 'a', new_string: 'b' }, kernel]],
    context: { files },
  },
  search_and_replace: {
    args: { path: 'a.txt', search: 'O(n)E', replace: '$$ &amp; <b>', use_regex: true, ignore_case: true },
    also: [
      { args: { path: 'a.txt', search: 'o', replace: '', start_line: 1, end_line: 2 } },
      { args: { path: 'a.txt', operations: [{ search: 'one', replace: '<b>' }] } },
    ],
    needs: ['path', 'search', 'replace'],
    hostile: [
      [{ path: '/proc/self/environ', search: 'a', replace: 'b' }, kernel],
      [{ path: 'a.txt', search: '(', replace: 'b', use_regex: true }, /regular expression|regex/i],
    ],
    context: { files },
  },
  insert_content: {
    args: { path: 'a.txt', line: 1, content: 'a &lt; b' },
    needs: ['path', 'line', 'content'],
    hostile: [
      [{ path: '/proc/self/environ', line: 1, content: 'x' }, kernel],
      [{ path: 'a.txt', line: 99, content: 'x' }, /line/],
    ],
    context: { files },
  },
  apply_patch: {
    args: { patch: patch('a.txt') },
    needs: ['patch'],
    hostile: [
      [{ patch: patch('/proc/self/environ') }, kernel],
      [{ patch: 'no patch' }, /Begin Patch|diff/],
    ],
    context: { files },
  },
  delete_file: {
    args: { path: 'a.txt' },
    needs: ['path'],
    hostile: [
      [{ path: '.' }, /./],
      [{ path: '/proc/self/environ' }, kernel],
    ],
    context: { files },
  },
  new_rule: {
    args: { path: '.lathe/rules/a.md', content: 'Be &lt;brief&gt;.' },
    also: [{ args: { name: 'style', content: 'x' } }],
    needs: ['path', 'content'],
    hostile: [
      [{ path: outside, content: 'x' }, /no place for a rule/],
      [{ path: '.lathe/rules/../../a.md', content: 'x' }, /no place for a rule/],
    ],
  },
  fast_edit_file: {
    args: { target_file: 'a.txt', instructions: 'Add a line.', code_edit: '// ... <b>\n&amp;' },
    needs: ['target_file', 'instructions', 'code_edit'],
    hostile: [[{ target_file: '/proc/self/environ', instructions: '', code_edit: 'x' }, kernel]],
    context: { files, fastApply: () => Promise.resolve({ text: 'one\ntwo\nthree\n' }) },
  },
  generate_image: {
    args: { prompt: 'a < b & c', path: 'a.png', image: 'b.png' },
    needs: ['prompt', 'path'],
    hostile: [
      [{ prompt: 'x', path: 'a.txt' }, /End it in \.png/],
      [{ prompt: 'x', path: 'a.png', image: '/proc/self/environ' }, kernel],
    ],
    context: {
      settings: { imageProfile: 'pictures' },
      makePicture: () => Promise.resolve({ bytes: PNG }),
      files: { 'b.png': PNG },
    },
  },
  execute_command: {
    args: { command: 'echo "a & b" > c.txt', cwd: '.', timeout: 5 },
    needs: ['command'],
    hostile: [
      [{ command: 'echo \0' }, /NUL/],
      [{ command: ' ' }, /Send the command to run/],
      [{ command: 'ls', cwd: 'nowhere' }, /Check cwd/],
    ],
    leaves: true,
  },
  browser_action: {
    args: { action: 'launch', url: 'http://127.0.0.1:1/?a=1&b=2' },
    also: [
      { args: { action: 'click', coordinate: '1,2' } },
      { args: { action: 'resize', size: '800,600' } },
      { args: { action: 'type', text: 'a < b & c' } },
      { args: { action: 'screenshot', path: 'shots/a.png' } },
    ],
    needs: ['action', 'url'],
    hostile: [
      [{ action: 'launch', url: 'file:///etc/passwd' }, /Files are not opened in the browser/],
      [{ action: 'click', coordinate: '1,1' }, /launch/],
    ],
    context: { host: { browser } },
  },
  web_fetch: {
    args: { url: site.url('/a?b=1&c=%3Cd%3E') },
    needs: ['url'],
    hostile: [
      [{ url: 'file:///etc/passwd' }, /Files are not opened/],
      [{ url: 'http://169.254.169.254/latest' }, /no page is fetched from/],
      [{ url: 'http://me:secret@docs.test/' }, /Send it without/],
      [{ url: site.url('/away') }, /points to another site: https:\/\/docs\.test\//],
      [{ url: site.url('/none') }, /status 404/],
    ],
  },
  use_mcp_tool: {
    args: { server_name: 'docs', tool_name: 'look', arguments: { text: '</arguments> & <b>' } },
    xml: { server_name: 'docs', tool_name: 'look', arguments: '{"text": "</arguments> & <b>"}' },
    needs: ['server_name', 'tool_name'],
    hostile: [[{ server_name: '__proto__', tool_name: 'look', arguments: {} }, /servers are: docs/]],
    context: { host: { mcp } },
  },
  access_mcp_resource: {
    args: { server_name: 'docs', uri: 'docs://a?b=1&c=2' },
    needs: ['server_name', 'uri'],
    hostile: [[{ server_name: '__proto__', uri: 'docs://a' }, /servers are: docs/]],
    context: { host: { mcp } },
  },
  ask_followup_question: {
    args: { question: 'Is a < b?', follow_up: [{ text: 'Yes & no' }, { text: 'Build it', mode: 'code' }] },
    xml: {
      question: 'Is a < b?',
      follow_up: '<suggest>Yes & no</suggest><suggest mode="code">Build it</suggest>',
    },
    needs: ['question'],
    hostile: [[{ question: ' ' }, /question/]],
  },
  attempt_completion: {
    args: { result: 'Done: a < b & c.' },
    needs: ['result'],
    hostile: [[{ result: ' ' }, /result/]],
  },
  switch_mode: {
    args: { mode_slug: 'ask', reason: 'To look & see.' },
    needs: ['mode_slug'],
    hostile: [[{ mode_slug: '__proto__' }, /mode/]],
  },
  update_todo_list: {
    args: { todos: '[x] look\n[-] a < b & c\n[ ] check' },
    needs: ['todos'],
    hostile: [[{ todos: 'no list' }, /\[ \]/]],
  },
  memory: {
    args: { action: 'add', content: 'a < b & c' },
    also: [
      { args: { action: 'update', id: 'n000000', content: 'two\nlines' } },
      { args: { action: 'search', query: 'words & more' } },
    ],
    needs: ['action', 'content'],
    hostile: [
      [{ action: 'delete', id: 'n000000' }, /Call list/],
      [{ action: 'add', content: ' \n' }, /needs content/],
      [{ action: 'add', content: 'x'.repeat(1001) }, /Send its gist/],
      [{ action: 'add', content: 'a\u202eb' }, /nobody sees/],
    ],
  },
  report_bug: {
    args: { title: 'a < b & c', description: 'It stops.' },
    needs: ['title', 'description'],
    hostile: [[{ title: ' ', description: 'x' }, /title/]],
  },
  new_task: {
    args: { mode: 'ask', message: 'Find a < b & c.', todos: '[ ] look' },
    needs: ['mode', 'message'],
    hostile: [[{ mode: '__proto__', message: 'x' }, /modes are: code/]],
  },
  fetch_instructions: {
    args: { task: 'create_mode' },
    needs: ['task'],
    hostile: [
      [{ task: '../../etc/passwd' }, /create_mode/],
      [{ task: 'mcp:nowhere/tool' }, /no MCP servers/],
    ],
  },
  run_slash_command: {
    args: { command: 'ship', args: 'a < b & c' },
    needs: ['command'],
    hostile: [[{ command: '../ship' }, /\.\.\/ship/]],
    context: { instructions: { commands: { ship: { text: 'Ship it.' } } } },
  },
  condense: {
    args: { message: 'keep what is known of a < b & c' },
    needs: ['message'],
    hostile: [],
  },
};
