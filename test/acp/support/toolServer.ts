import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

/** An MCP server over HTTP with one tool, `shout`, and the header `x-key` that requests came with. */
export async function toolServer(): Promise<{ url: string; keys: string[]; stop: () => Promise<void> }> {
  const keys: string[] = [];
  const answer = ({ method, params }: Asked): object | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion ?? '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'tool-server', version: '1' },
        };
      case 'tools/list':
        return {
          tools: [
            {
              name: 'shout',
              inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
            },
          ],
        };
      case 'tools/call':
        return { content: [{ type: 'text', text: `${params?.arguments?.text?.toUpperCase()}!` }] };
      default:
        return undefined;
    }
  };
  const server: Server = createServer((request, response) => {
    keys.push(String(request.headers['x-key']));
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      if (asked.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result = answer(asked);
      const said = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...said }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    keys,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
