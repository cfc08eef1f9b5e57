import type { Action } from '../../src/shared/approvals.ts';
import type { McpServerRow } from '../../src/shared/mcp.ts';
import { answered, call, finished, started, type ScriptedAgent } from './webviewAgent.ts';
import type { Scene } from './webviewScreenScenes.ts';
import { askingTask } from './webviewTasks.ts';

const nothing = { tools: [], resources: [], resourceTemplates: [], prompts: [], problems: [] };
const user = { kind: 'user', path: '/home/person/.config/lathe/mcp.json' } as const;
const project = { kind: 'project', path: '/work/shop/.lathe/mcp.json' } as const;

const tool = (name: string, description: string, more: { changed?: boolean } = {}) => ({
  ...{ name, id: name, description, enabled: true, automatic: name === 'find_ticket', changed: false },
  ...more,
});

const servers: McpServerRow[] = [
  {
    ...nothing,
    ...{ name: 'tickets', id: 'tickets', source: user, transport: 'http', state: { type: 'ready' } },
    protocolVersion: '2025-11-25',
    implementation: { name: 'tickets', version: '2.1.0', title: 'Ticket service' },
    instructions: 'Give the number of a ticket where you have it.',
    tools: [
      tool('find_ticket', 'Looks for tickets by their words.'),
      tool('close_ticket_with_a_comment_for_everyone', 'Closes a ticket.', { changed: true }),
    ],
    resources: [{ uri: 'tickets://open', name: 'open', title: 'Open tickets' }],
    prompts: [{ name: 'triage', id: 'triage', description: 'Sorts what is new', arguments: [] }],
    problems: [
      {
        key: 'mcp.problem.leftOut',
        args: { name: 'broken', list: 'tools/list', reason: 'it has no schema' },
      },
    ],
  },
  {
    ...nothing,
    ...{ name: 'files-of-the-project', id: 'files', source: project, transport: 'stdio' },
    state: { type: 'needs_consent' },
    consent: {
      server: 'files-of-the-project',
      source: project,
      hash: 'h1',
      target: {
        type: 'command',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/work/shop/a folder'],
        cwd: '/work/shop',
        environment: ['API_TOKEN'],
      },
      changedTools: [],
    },
  },
  {
    ...nothing,
    ...{ name: 'weather', id: 'weather', source: user, transport: 'sse', state: { type: 'needs_sign_in' } },
  },
  {
    ...nothing,
    ...{ name: 'old', id: 'old', source: user, transport: 'stdio', state: { type: 'disabled' } },
  },
  {
    ...nothing,
    ...{ name: 'مرحبا 👩‍👩‍👧‍👦', id: 'hello', source: project, transport: 'stdio' },
    state: { type: 'connecting' },
  },
];

function withServers(agent: ScriptedAgent): void {
  agent.servers = { ...agent.servers, servers };
}

const action = {
  type: 'mcp',
  ...{ operation: 'call', server: 'tickets', source: user.path, target: 'find_ticket' },
  ...{ automatic: false, changed: false },
} as const satisfies Action;
const args = JSON.stringify({ words: 'the cart’s total', labels: ['bug', 'cart'], limit: 5 });

/** MCP servers: their screen, what asks to use one, and what came of that. */
export const mcpScenes: readonly Scene[] = [
  {
    name: 'mcp',
    prepare: withServers,
    act: async ({ agent, byTest }) => {
      await agent.notify('editor/command', { command: 'mcp' });
      await byTest('server').first().waitFor();
    },
  },
  {
    name: 'mcp-open',
    prepare: withServers,
    act: async ({ agent, byTest }) => {
      await agent.notify('editor/command', { command: 'mcp' });
      await byTest('server-open').first().click();
      await byTest('server-tool').first().waitFor();
    },
  },
  {
    name: 'mcp-form',
    prepare: withServers,
    act: async ({ agent, byTest }) => {
      await agent.notify('editor/command', { command: 'mcp' });
      await byTest('mcp-add').click();
      await byTest('mcp-add').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'approve-mcp',
    prepare: async (agent) => {
      withServers(agent);
      await askingTask(agent, {
        tool: 'use_mcp_tool',
        actions: [action],
        why: [{ key: 'why.kindAsks' }],
        ...{ dangerous: false, review: false },
        details: { type: 'mcp', server: 'tickets', target: 'find_ticket', arguments: args, parts: [] },
      });
    },
  },
  {
    name: 'mcp-card',
    prepare: async (agent) => {
      agent.taskId = 'task-1';
      await agent.say(
        'task-1',
        started('task-1'),
        { type: 'user_message', text: 'Which tickets are about the total?' },
        ...answered('r1', [
          call('c1', 'use_mcp_tool', {
            ...{ server_name: 'tickets', tool_name: 'find_ticket', arguments: args },
          }),
        ]),
        finished(
          'c1',
          'use_mcp_tool',
          { kind: 'other', subject: 'find_ticket', locations: [] },
          {
            content: 'Two tickets: 12 and 40.',
            details: {
              type: 'mcp',
              ...{ server: 'tickets', target: 'find_ticket', arguments: args },
              parts: [
                { kind: 'audio', label: 'sound', mediaType: 'audio/wav', path: '/home/person/lathe/a.wav' },
                { kind: 'link', label: 'https://example.com/tickets/12', mediaType: 'text/html' },
                { kind: 'link', label: 'tickets://12' },
                { kind: 'text', label: 'whole result', path: '/home/person/lathe/mcp-1.txt' },
              ],
            },
          },
        ),
        { type: 'task_finished', reason: 'answered' },
      );
    },
    act: async ({ byTest }) => {
      await byTest('tool-card').getByRole('button', { expanded: false }).click();
      await byTest('mcp-parts').waitFor();
    },
  },
];
