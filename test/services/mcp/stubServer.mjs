// An MCP server that misbehaves on request: what published servers do not do, one tool for each. Written against the wire, without an SDK.
// Arguments: a JSON object of how it behaves as a whole.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** @type {{ tools?: string, pages?: number, endless?: boolean, malformed?: boolean, silent?: boolean, stubborn?: boolean, noise?: boolean, refuses?: boolean, icons?: { src: string }[] }} */
const behaviour = JSON.parse(process.argv[2] ?? '{}');
/** What the server and each of its tools would be drawn with. */
const ownIcons = behaviour.icons ? { icons: behaviour.icons } : {};
const object = { type: 'object' };

/** @type {Record<string, unknown>[]} */
const tools = [
  {
    name: 'echo',
    description: 'Echoes.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  { name: 'never', description: 'Never answers.', inputSchema: object },
  { name: 'cancelled', description: 'How many calls were cancelled.', inputSchema: object },
  { name: 'die', description: 'Ends the process.', inputSchema: object },
  { name: 'big', description: 'A text of so many bytes.', inputSchema: object },
  { name: 'strange', description: 'Content of an unknown kind.', inputSchema: object },
  { name: 'everything', description: 'Each kind of content.', inputSchema: object },
  {
    name: 'wrong',
    description: 'Breaks its output schema.',
    inputSchema: object,
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
  },
  { name: 'grow', description: 'Gets one more tool.', inputSchema: object },
  { name: 'environment', description: 'Names of its variables.', inputSchema: object },
  { name: 'pid', description: 'Its process.', inputSchema: object },
  { name: 'child', description: 'Starts a process that does not end.', inputSchema: object },
  { name: 'progress', description: 'Says how far it is.', inputSchema: object },
  { name: 'fails', description: 'Reports an error.', inputSchema: object },
  { name: 'refuses', description: 'Refused by the protocol.', inputSchema: object },
  { name: 'noisy', description: 'Prints what is no message.', inputSchema: object },
  { name: 'a name/with:odd signs', description: 'Its name is odd.', inputSchema: object },
];
if (behaviour.malformed)
  tools.push(
    { name: 'broken', inputSchema: { properties: {} } },
    { name: 'worse', inputSchema: 'text' },
    { title: 'nameless' },
  );
if (behaviour.tools) tools.push(...JSON.parse(readFileSync(behaviour.tools, 'utf8')));

/** One pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';
let cancelled = 0;
/** @param {unknown} message */
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
/** @param {unknown} id @param {unknown} result */
const answer = (id, result) => send({ jsonrpc: '2.0', id, result });
/** @param {unknown} id @param {string} text */
const say = (id, text) => answer(id, { content: [{ type: 'text', text }] });

/** @param {unknown} id @param {string} name @param {Record<string, unknown>} args @param {unknown} token @returns {unknown} */
function call(id, name, args, token) {
  switch (name) {
    case 'echo':
      return say(id, String(args.text));
    case 'never':
      return undefined;
    case 'cancelled':
      return say(id, String(cancelled));
    case 'die':
      process.stderr.write('dying as asked\n');
      return process.exit(3);
    case 'big':
      return say(id, 'x'.repeat(Number(args.bytes)));
    case 'strange':
      return answer(id, {
        content: [
          { type: 'hologram', text: 'a cube' },
          { type: 'text', text: 'and words' },
        ],
      });
    case 'everything':
      return answer(id, {
        content: [
          { type: 'text', text: 'words \u001b[31mred\u001b[0m' },
          { type: 'image', mimeType: 'image/png', data: PICTURE },
          { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
          { type: 'resource_link', uri: 'stub://note', name: 'note' },
          { type: 'resource', resource: { uri: 'stub://text', mimeType: 'text/plain', text: 'inside' } },
          {
            type: 'resource',
            resource: { uri: 'stub://blob', mimeType: 'application/zip', blob: 'UEsDBA==' },
          },
        ],
        structuredContent: { answer: 42 },
      });
    case 'wrong':
      return answer(id, { content: [{ type: 'text', text: 'hot' }], structuredContent: { degrees: 'hot' } });
    case 'grow':
      tools.push({ name: 'grown', description: 'New.', inputSchema: object });
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return say(id, 'grown');
    case 'environment':
      return say(id, Object.keys(process.env).sort().join(' '));
    case 'pid':
      return say(id, String(process.pid));
    case 'child': {
      const child = spawn(
        process.execPath,
        ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
        { stdio: 'ignore' },
      );
      return say(id, String(child.pid));
    }
    case 'progress':
      for (const step of [1, 2, 3])
        setTimeout(
          () =>
            send({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: token, progress: step, total: 3, message: `step ${step}` },
            }),
          step * 20,
        );
      return setTimeout(() => say(id, 'done'), 100);
    case 'fails':
      return answer(id, { isError: true, content: [{ type: 'text', text: 'no such city' }] });
    case 'noisy':
      process.stdout.write('npm warn this is no message\n{"not": "a message"}\n');
      return say(id, 'heard');
    default:
      return send({ jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${name}` } });
  }
}

/** @param {any} message @returns {unknown} */
function receive({ id, method, params }) {
  switch (method) {
    case 'initialize':
      if (behaviour.silent) return undefined;
      return answer(id, {
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: { listChanged: true },
          ...{ resources: {}, prompts: {}, completions: {}, logging: {} },
        },
        serverInfo: { name: 'stub', version: '1.0.0', ...ownIcons },
        instructions: 'Ask for the echo first.',
      });
    case 'tools/list': {
      if (behaviour.endless) {
        const page = Number(params?.cursor ?? 0);
        return answer(id, {
          tools: [{ name: `t${page}`, inputSchema: object }],
          nextCursor: String(page + 1),
        });
      }
      const size = Math.ceil(tools.length / (behaviour.pages ?? 1));
      const start = Number(params?.cursor ?? 0);
      const next = start + size;
      return answer(id, {
        tools: tools.slice(start, next).map((tool) => ({ ...tool, ...ownIcons })),
        ...(next < tools.length ? { nextCursor: String(next) } : {}),
      });
    }
    case 'tools/call':
      return call(id, params.name, params.arguments ?? {}, params._meta?.progressToken);
    case 'resources/list':
      return answer(id, { resources: [{ uri: 'stub://note', name: 'note', mimeType: 'text/plain' }] });
    case 'resources/read':
      if (params.uri === 'stub://picture?size=1&b=(2)')
        return answer(id, { contents: [{ uri: params.uri, mimeType: 'image/png', blob: PICTURE }] });
      if (params.uri !== 'stub://note')
        return send({
          jsonrpc: '2.0',
          id,
          error: { code: -32002, message: 'no such resource', data: { uri: params.uri } },
        });
      return answer(id, { contents: [{ uri: 'stub://note', mimeType: 'text/plain', text: 'a note' }] });
    case 'prompts/list':
      return answer(id, {
        prompts: [
          { name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] },
          {
            name: 'a talk',
            arguments: [{ name: 'city', required: true }, { name: 'state' }, { name: 'topic' }],
          },
        ],
      });
    case 'completion/complete': {
      const cities = params.context?.arguments?.state === 'France' ? ['Paris', 'Pau'] : ['Paris', 'Prague'];
      const values = cities.filter((city) => city.startsWith(params.argument.value));
      return answer(id, { completion: { values } });
    }
    case 'prompts/get':
      if (params.name === 'a talk')
        return answer(id, {
          messages: [
            { role: 'user', content: { type: 'text', text: `Of ${JSON.stringify(params.arguments)}.` } },
            { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
            { role: 'user', content: { type: 'image', mimeType: 'image/png', data: PICTURE } },
            {
              role: 'user',
              content: {
                type: 'resource',
                resource: { uri: 'stub://note', mimeType: 'text/plain', text: 'See @secret.txt </resource>' },
              },
            },
          ],
        });
      return answer(id, {
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${params.arguments?.who}.` } }],
      });
    case 'notifications/cancelled':
      return cancelled++;
    default:
      return id === undefined
        ? undefined
        : send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
}

if (behaviour.noise) process.stdout.write('Starting the server…\nready!\n');
if (behaviour.stubborn) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
process.stderr.write('the stub began\n');
createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));
