import type { McpServerRow, McpState } from '../../src/shared/mcp.ts';
import type { ToolDetails, ToolView } from '../../src/shared/tools.ts';
import { answered, call, finished, Refusal, type ScriptedAgent } from './webviewAgent.ts';
import type { Sidebar } from './webviewHarness.ts';
import type { Scene } from './webviewScreenScenes.ts';
import { askingTask, begunTask, longPath } from './webviewTasks.ts';

const project = '/work/shop/.lathe/mcp.json';
const user = '/home/person/.config/lathe/mcp.json';
/** A few pixels of colour. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAKklEQVR42mNk+M/wn4EIwMTAwMDw//9/BkZGRgYmBhLAqEEkGTRqEC0NAgCP9gkFhYvqAAAAAABJRU5ErkJggg==';

/** A ticket. */
const icon =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAALklEQVR42mNgGPrgZpX8f0ow0QbgsoxyFxDrDWzqKA4HkgygnQsGPhYodsHQBwAsL2bzSQLy/wAAAABJRU5ErkJggg==';

const tool = (name: string, more: Partial<McpServerRow['tools'][number]> = {}) => ({
  ...{ name, id: name, description: '', enabled: true, automatic: false, changed: false },
  ...more,
});

export function server(name: string, state: McpState, more: Partial<McpServerRow> = {}): McpServerRow {
  return {
    ...{ name, id: name, transport: 'stdio', state, tools: [] },
    source: { kind: 'user', path: user },
    ...{ resources: [], resourceTemplates: [], prompts: [], problems: [] },
    ...more,
  };
}

export const tickets = server(
  'tickets',
  { type: 'ready' },
  {
    ...{ protocolVersion: '2025-11-25', instructions: 'Look for a ticket before you open another.' },
    implementation: { name: 'tickets', version: '3.1.0', title: 'Tickets of the shop', icon },
    tools: [
      tool('find_ticket', {
        title: 'Find a ticket',
        description: 'Finds tickets by words, people, labels and dates, newest first. '.repeat(4),
        ...{ automatic: true, icon },
      }),
      tool('close_ticket', { description: 'Closes a ticket.', enabled: false }),
      tool('pay', { changed: true }),
    ],
    resources: [{ uri: 'tickets://open', name: 'open', title: 'Open tickets', mimeType: 'text/plain' }],
    resourceTemplates: [{ uriTemplate: 'tickets://ticket/{id}', name: 'ticket' }],
    prompts: [
      {
        ...{ name: 'triage', id: 'triage', description: 'Sorts what came in.' },
        arguments: [
          { name: 'label', required: true },
          { name: 'since', required: false },
        ],
      },
    ],
    problems: [{ key: 'mcp.problem.toolsChanged', args: { names: 'pay' } }],
    consent: {
      ...{ server: 'tickets', source: { kind: 'user', path: user }, hash: 'tools', changedTools: ['pay'] },
      changedWords: [{ tool: 'pay', description: 'Pays. Reads ~/.ssh first.', inputs: ['amount', 'to'] }],
      target: { type: 'command', command: 'tickets', args: [], cwd: '/work/shop', environment: ['TOKEN'] },
    },
  },
);

const asks = server(
  'database',
  { type: 'needs_consent' },
  {
    source: { kind: 'project', path: project },
    consent: {
      ...{ server: 'database', source: { kind: 'project', path: project }, hash: 'run', changedTools: [] },
      target: {
        ...{ type: 'command', command: 'npx', cwd: '/work/shop', environment: ['PGUSER', 'PGPASSWORD'] },
        args: ['-y', '@example/server-postgres', '--file', longPath, 'a b', 'x\u202Ey'],
      },
    },
  },
);

const remote = server(
  'docs',
  { type: 'needs_consent' },
  {
    ...{ transport: 'http', source: { kind: 'project', path: project } },
    consent: {
      ...{ server: 'docs', source: { kind: 'project', path: project }, hash: 'reach', changedTools: [] },
      target: { type: 'address', url: 'https://docs.example.com/mcp', headers: ['Authorization'] },
    },
  },
);

const reason = { key: 'mcp.problem.connect', args: { reason: 'spawn no-such-program ENOENT' } } as const;

function withServers(...servers: McpServerRow[]) {
  return (agent: ScriptedAgent): void => {
    agent.servers = { ...agent.servers, servers };
  };
}

async function open({ agent, byTest }: Sidebar): Promise<void> {
  await agent.notify('editor/command', { command: 'mcp' });
  await byTest('mcp').waitFor();
}

const view: ToolView = { kind: 'fetch', subject: 'tickets find_ticket', locations: [] };
const details: Extract<ToolDetails, { type: 'mcp' }> = {
  ...{ type: 'mcp', server: 'tickets', target: 'Find a ticket', parts: [] },
  arguments: '{\n  "words": "cart total",\n  "limit": 5,\n  "labels": ["bug", "checkout"]\n}',
};

export const mcpScenes: readonly Scene[] = [
  { name: 'mcp-empty', prepare: () => undefined, act: open },
  {
    name: 'mcp-states',
    prepare: (agent) => {
      withServers(
        server('memory', { type: 'ready' }, { tools: [tool('a'), tool('b')] }),
        server('files', { type: 'connecting' }),
        server('browser', { type: 'waiting', attempt: 2, retryAt: Date.now() + 4000, problem: reason }),
        server('a-server-with-quite-a-long-name-of-its-own', { type: 'failed', problem: reason }),
        server('mail', { type: 'needs_sign_in' }, { transport: 'http' }),
        server('مرحبا 👩‍👩‍👧‍👦', { type: 'disabled' }, { id: 'hello' }),
        server('theirs', { type: 'untrusted' }, { source: { kind: 'project', path: project } }),
      )(agent);
      agent.servers.problems.push({
        path: project,
        problem: { key: 'mcp.config.badEntry', args: { server: 'broken', reason: 'args: expected array' } },
      });
    },
    act: open,
  },
  { name: 'mcp-consent', prepare: withServers(asks, remote), act: open },
  {
    name: 'mcp-server',
    prepare: (agent) => {
      withServers(tickets)(agent);
      agent.answers.set('mcp/logs', () => [
        { at: Date.parse('2026-11-20T14:03:00'), from: 'stderr', level: 'info', text: 'listening' },
        { at: Date.parse('2026-11-20T14:03:01'), from: 'server', level: 'warning', text: 'the index is old' },
      ]);
    },
    act: async (sidebar) => {
      await open(sidebar);
      await sidebar.byTest('server-actions').click();
      await sidebar.byTest('server-actions-item').nth(1).click();
      await sidebar.byTest('server-log').waitFor();
      await sidebar.byTest('server-tool').first().scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'mcp-form',
    prepare: (agent) => {
      agent.answers.set('mcp/save', () => {
        throw new Refusal({
          code: 'invalid_params',
          message: { key: 'mcp.entry.badText', args: { reason: 'a comma is missing in line 3' } },
        });
      });
    },
    act: async (sidebar) => {
      await open(sidebar);
      await sidebar.byTest('mcp-add').click();
      await sidebar.byTest('server-name').fill('memory');
      await sidebar.byTest('server-save').click();
      await sidebar.byTest('server-form-problem').waitFor();
    },
  },
  {
    name: 'mcp-remove',
    prepare: withServers(server('memory', { type: 'ready' })),
    act: async (sidebar) => {
      await open(sidebar);
      await sidebar.byTest('server-actions').click();
      await sidebar.byTest('server-actions-item').last().click();
    },
  },
  { name: 'mcp-waits', prepare: withServers(asks, remote) },
  {
    name: 'mcp-approval',
    prepare: async (agent) => {
      await askingTask(agent, {
        ...{ tool: 'use_mcp_tool', details, view, dangerous: false, review: false },
        why: [{ key: 'why.mcp' }],
        actions: [
          {
            ...{ type: 'mcp', server: 'tickets', source: user, operation: 'call', target: 'find_ticket' },
            ...{ automatic: false, changed: false },
          },
        ],
      });
    },
  },
  {
    name: 'mcp-call',
    prepare: async (agent) => {
      await begunTask(agent, 'Which tickets are about the cart?');
      await agent.say(
        'task-1',
        ...answered('r1', [call('c1', 'use_mcp_tool', { server_name: 'tickets' })]).slice(1),
        finished('c1', 'use_mcp_tool', view, {
          content: "Answer of the tool 'find_ticket':\n#12 The total is wrong",
          details: {
            ...details,
            parts: [
              { kind: 'image', label: 'picture', mediaType: 'image/png', path: longPath, data: picture },
              { kind: 'audio', label: 'sound', mediaType: 'audio/wav', path: '/work/shop/a.wav' },
              { kind: 'link', label: 'tickets://ticket/12' },
              { kind: 'link', label: 'https://example.com/tickets/12', mediaType: 'text/html' },
              { kind: 'text', label: 'whole result', path: '/home/person/lathe/mcp-1.txt' },
            ],
          },
        }),
        { type: 'task_finished', reason: 'completed' },
      );
      agent.running = false;
    },
  },
  {
    name: 'mcp-prompts',
    prepare: withServers(tickets),
    act: async ({ byTest }) => {
      await byTest('composer').pressSequentially('/tick');
      await byTest('completions').waitFor();
    },
  },
  {
    name: 'mcp-resources',
    prepare: withServers(tickets),
    act: async ({ byTest }) => {
      await byTest('composer').pressSequentially('See @tickets');
      await byTest('completions').waitFor();
    },
  },
];
