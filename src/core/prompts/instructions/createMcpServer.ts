/** How an MCP server is written and configured, for the model. Both files of the example work as they stand. */
export function createMcpServer(): string {
  return `# Write an MCP server

An MCP server is a program that offers tools. It reads JSON-RPC messages from its standard input, one a line, and writes its answers to standard output, one a line. Nothing else may go to standard output: log to standard error.

First ask whether one is needed: what a command can do needs no server. A published server needs only the second file.

1. The program. This one needs Node.js and no package. Put it where the project keeps its tools, for example \`tools/weather-server.mjs\`; change the tools, and keep the frame.

\`\`\`js
import { createInterface } from 'node:readline';

const tools = [
  {
    name: 'forecast',
    description: 'The weather of the next days in a city.',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city'],
    },
  },
];

/** Does what the tool is for. What it throws reaches the model as an error. */
async function call(name, { city, days = 3 }) {
  if (name !== 'forecast') throw new Error('There is no tool ' + name);
  // Ask the real service here; keys come from process.env.
  return 'The next ' + days + ' days in ' + city + ': sunny.';
}

async function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'weather', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      try {
        return { content: [{ type: 'text', text: await call(params.name, params.arguments ?? {}) }] };
      } catch (error) {
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    default:
      throw new Error('There is no method ' + method);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue; // a notification wants no answer
  const message = await answer(method, params).then(
    (result) => ({ result }),
    (error) => ({ error: { code: -32601, message: error.message } }),
  );
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...message }) + '\\n');
}
\`\`\`

2. Its entry in \`.lathe/mcp.json\`. Read that file first and add to it.

\`\`\`json
{
  "mcpServers": {
    "weather": {
      "command": "node",
      "args": ["\${workspaceFolder}/tools/weather-server.mjs"],
      "env": { "WEATHER_KEY": "\${env:WEATHER_KEY:-}" }
    }
  }
}
\`\`\`

- Never write a key into either file: name a variable, as above, and tell the person to set it.
- A server that runs elsewhere has "url" in place of "command" and "args".

Try it before you hand it over; this prints the list of its tools:

\`\`\`sh
echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | node tools/weather-server.mjs
\`\`\`

The server starts when the person has agreed to it. Tell them so: they are shown the command, and nothing runs before their yes.
`;
}
