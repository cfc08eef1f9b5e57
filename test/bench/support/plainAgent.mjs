// The least agent that the protocol's SDK makes: what a start, a session and an update cost before there is anything behind them. The SDK's
// package holds no example of its own.
import { agent, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';

const connection = agent({ name: 'plain' })
  .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest('session/new', () => ({ sessionId: randomUUID() }))
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const [block] = prompt;
    const count = block?.type === 'text' ? Number(block.text) : 0;
    for (let chunk = 0; chunk < count; chunk++)
      await client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `word ${chunk} ` } },
      });
    return { stopReason: 'end_turn' };
  })
  .onNotification('session/cancel', () => undefined)
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
