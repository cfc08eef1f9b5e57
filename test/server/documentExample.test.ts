import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WebSocket } from 'ws';
import { ScriptedModel, type Turn } from '../support/ScriptedModel.ts';
import { eventsOf, TestServer } from '../support/TestServer.ts';

const SESSION = '550e8400-e29b-41d4-a716-446655440000';
const QUESTION = '读取 README.md 文件';
const README = '# CountBot\n\nCountBot 是一个基于 LLM 的智能助手框架。\n\n## 功能特性\n';
const ARGUMENTS = { path: 'README.md', show_line_numbers: true };

/** The pieces in which the document's model answers. */
const PIECES = [
  ...[
    '我已经',
    '读取了',
    ' README.md ',
    '文件',
    '。这是',
    ' CountBot ',
    '项目的',
    '说明文档',
    ',主要',
    '介绍了',
    '以下',
    '内容',
  ],
  ...[
    ':\n\n',
    '1. ',
    '**功能特性**',
    ':\n',
    ' - 多模型支持',
    '(OpenAI、Claude、',
    '国产大模型)\n',
    ' - 工具调用系统\n',
  ],
  ...[' - 记忆管理\n', ' - 技能系统\n', ' - 多渠道接入'],
];

const line = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** What the document's model sends, to the letter. */
const script: Turn[] = [
  {
    rawBody:
      line({
        id: 'chatcmpl-456',
        object: 'chat.completion.chunk',
        created: 1705315900,
        model: 'gpt-4',
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  index: 0,
                  id: 'call_abc123',
                  type: 'function',
                  function: { name: 'read_file', arguments: JSON.stringify(ARGUMENTS) },
                },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }) + 'data: [DONE]\n\n',
  },
  {
    rawBody:
      [
        line({ choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
        ...PIECES.map((content) => line({ choices: [{ delta: { content }, finish_reason: null }] })),
        line({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
      ].join('') + 'data: [DONE]\n\n',
  },
];

describe('the example of the document, over HTTP', () => {
  let cwd: string;
  let model: ScriptedModel;
  let server: TestServer;

  before(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-http-'));
    writeFileSync(join(cwd, 'README.md'), README);
    model = await ScriptedModel.start(script);
    server = await TestServer.start({
      cwd,
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native', model: 'gpt-4' },
    });
  });
  after(async () => {
    await server.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  it('gives the requests, notifications, row, stream and messages of the document', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/chat/ws?session_id=${SESSION}`);
    const notifications: unknown[] = [];
    socket.on('message', (data: Buffer) => notifications.push(JSON.parse(data.toString('utf8'))));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));

    const response = await server.send(SESSION, QUESTION);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const events = await eventsOf(response);
    // The end of the turn is told on both; whichever connection is first.
    while (notifications.length < 3) await once(socket, 'message');
    socket.close();

    // 7.1
    const [user, assistant] = [2, 4];
    assert.deepEqual(
      events.map(({ event, data }) => ({ event, data })),
      [
        { event: 'start', data: { message_id: String(user) } },
        ...PIECES.map((content) => ({ event: 'message', data: { content } })),
        { event: 'done', data: { message_id: String(assistant) } },
      ],
    );

    // 4.1, 4.4: an id of the call beside the document's keys tells apart calls of one tool.
    const [started, completed, ended, ...more] = notifications as Record<string, unknown>[];
    assert.deepEqual(shapeOf(started), {
      type: 'string',
      tool: 'string',
      arguments: { path: 'string', show_line_numbers: 'boolean' },
      timestamp: 'number',
      call_id: 'string',
    });
    assert.deepEqual(
      { type: started?.type, tool: started?.tool, arguments: started?.arguments },
      { type: 'tool_start', tool: 'read_file', arguments: ARGUMENTS },
    );
    assert.ok(Math.abs(Number(started?.timestamp) - Date.now() / 1000) < 600, 'seconds since the epoch');
    assert.deepEqual(shapeOf(completed), {
      type: 'string',
      tool: 'string',
      result: 'string',
      duration_ms: 'integer',
      call_id: 'string',
    });
    const result = String(completed?.result);
    assert.match(result, /^\[File: README\.md \| Lines: 5\]\n 1\| # CountBot\n 2\| \n 3\| CountBot 是/);
    assert.deepEqual([ended, ...more], [{ type: 'turn_end', reason: 'answered' }]);

    // 4.3
    const database = new DatabaseSync(join(server.tests.home, 'chat.db'), { readOnly: true });
    const rows = database.prepare('SELECT * FROM tool_conversations').all();
    database.close();
    assert.deepEqual(
      rows.map((row) => ({
        ...row,
        id: shapeOf(row.id),
        duration_ms: shapeOf(row.duration_ms),
        timestamp: isoTime(row.timestamp),
      })),
      [
        {
          id: 'string',
          session_id: SESSION,
          tool_name: 'read_file',
          arguments: '{"path":"README.md","show_line_numbers":true}',
          result,
          error: null,
          duration_ms: 'integer',
          timestamp: true,
          user_message: QUESTION,
          message_id: user,
        },
      ],
    );

    // 8.2
    const messages = (await server.get(`/api/chat/sessions/${SESSION}/messages`)) as Record<
      string,
      unknown
    >[];
    assert.deepEqual(
      messages.map(({ created_at, ...message }) => ({ ...message, created_at: isoTime(created_at) })),
      [
        { id: user, session_id: SESSION, role: 'user', content: QUESTION, created_at: true, tool_calls: [] },
        {
          id: assistant,
          session_id: SESSION,
          role: 'assistant',
          content: PIECES.join(''),
          created_at: true,
          tool_calls: [
            {
              id: rows[0]?.id,
              name: 'read_file',
              arguments: ARGUMENTS,
              result,
              error: null,
              status: 'success',
              duration: rows[0]?.duration_ms,
              spawn_task: null,
            },
          ],
        },
      ],
    );
  });

  it('asks the model as the document does, both times', () => {
    const [first, second] = model.requests.map(({ body }) => body);
    const messages = (second?.messages ?? []) as Record<string, unknown>[];
    assert.equal(model.requests.length, 2);
    // 6.1: ours has more keys than the document's; none of the document's is missing, and each has its type.
    assert.deepEqual(
      { model: second?.model, temperature: second?.temperature, stream: second?.stream },
      { model: 'gpt-4', temperature: 0.7, stream: true },
    );
    assert.equal(shapeOf(second?.max_tokens), 'integer');
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool'],
    );
    assert.deepEqual((first?.messages as unknown[]).slice(0, 2), messages.slice(0, 2));
    // 5.1
    assert.deepEqual(messages[2], {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_abc123',
          type: 'function',
          function: { name: 'read_file', arguments: '{"path":"README.md","show_line_numbers":true}' },
        },
      ],
    });
    // 5.2
    const { content, ...tool } = messages[3] ?? {};
    assert.deepEqual(tool, { role: 'tool', tool_call_id: 'call_abc123', name: 'read_file' });
    assert.match(
      String(content),
      /^\[File: README\.md \| Lines: 5\]\n 1\| # CountBot\n 2\| \n 3\| CountBot 是/,
    );
    assert.deepEqual(
      messages.slice(0, 2).map((message) => typeof message.content),
      ['string', 'string'],
    );
    // 2.2
    const tools = (second?.tools ?? []) as { type: string; function: { name: string; parameters: object } }[];
    const read = tools.find((tool) => tool.function.name === 'read_file');
    assert.equal(read?.type, 'function');
    assert.deepEqual(
      ['path', 'paths', 'start_line', 'end_line'].filter(
        (name) => !Object.hasOwn((read.function.parameters as { properties: object }).properties, name),
      ),
      [],
    );
  });
});

/** A value as its keys and types; an epoch with a fraction and an integer are told apart. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function isoTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value);
}
