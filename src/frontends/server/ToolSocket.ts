import type { WebSocket } from 'ws';
import * as z from 'zod';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { translate, type Locale } from '../../shared/strings.ts';
import { taskIdSchema } from '../../shared/taskId.ts';
import type { ChatEvent } from './ChatFold.ts';
import type { ChatSession } from './ChatSession.ts';
import { frameText } from './frameText.ts';
import type { ServedAgent } from './ServedAgent.ts';

/** What a client may say: an answer to what asks, a stop, or that it is there. */
const incomingSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('approval_response'),
    approval_id: z.string().max(200),
    /** The subtask that asks; absent where it is the session itself. */
    session_id: taskIdSchema.optional(),
    outcome: z.enum(['allow', 'reject']),
    option_id: z.string().max(200).optional(),
    feedback: z.string().max(100_000).optional(),
  }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('ping') }),
]);

export interface ToolSocketOptions {
  socket: WebSocket;
  session: ChatSession;
  agent: ServedAgent;
  locale: Locale;
  /** Bytes that may wait for a client that does not read: then it is closed, and can come again. */
  backlog: number;
}

/** One client's notifications of a session: calls as they begin and end, what asks, and the client's answers. */
export function openToolSocket(options: ToolSocketOptions): void {
  const { socket, session, backlog } = options;
  const send = (said: object): void => {
    if (socket.bufferedAmount > backlog) socket.close(1013, 'the client does not read');
    else socket.send(JSON.stringify(said));
  };
  const stop = session.onEvent((event) => send(outgoing(event)));
  socket.on('message', (data, isBinary) => {
    void answer(options, isBinary ? undefined : frameText(data), send);
  });
  socket.on('close', stop);
}

function outgoing(event: ChatEvent): object {
  switch (event.type) {
    case 'tool_start': {
      const { type, tool, at, callId } = event;
      return { type, tool, arguments: event.arguments, timestamp: at / 1000, call_id: callId };
    }
    case 'tool_complete': {
      const { type, tool, result, durationMs, callId } = event;
      return { type, tool, result, duration_ms: durationMs, call_id: callId };
    }
    case 'tool_error': {
      const { type, tool, error, outcome, durationMs, callId } = event;
      return { type, tool, error, outcome, duration_ms: durationMs, call_id: callId };
    }
    case 'approval_request': {
      const { id, taskId, ...request } = event.request;
      return { type: event.type, approval_id: id, session_id: taskId, ...request };
    }
    case 'approval_resolved': {
      const { outcome, optionId, by } = event.decision;
      const option = optionId === undefined ? {} : { option_id: optionId };
      return { type: event.type, approval_id: event.approvalId, outcome, by, ...option };
    }
    case 'turn_end':
      return { type: event.type, reason: event.reason };
  }
}

async function answer(
  { session, agent, locale }: ToolSocketOptions,
  text: string | undefined,
  send: (said: object) => void,
): Promise<void> {
  const parsed = incomingSchema.safeParse(text === undefined ? undefined : parsedJson(text));
  if (!parsed.success) {
    send({ type: 'error', error: text === undefined ? 'frames are text' : z.prettifyError(parsed.error) });
    return;
  }
  try {
    switch (parsed.data.type) {
      case 'ping':
        send({ type: 'pong' });
        break;
      case 'cancel':
        await agent.dispatcher.call('task/cancel', { taskId: session.id });
        break;
      case 'approval_response': {
        const { approval_id: approvalId, session_id, outcome, option_id, feedback } = parsed.data;
        const { accepted } = await agent.dispatcher.call('approval/respond', {
          taskId: session_id ?? session.id,
          approvalId,
          decision: {
            outcome,
            by: 'person',
            ...(option_id === undefined ? {} : { optionId: option_id }),
            ...(feedback === undefined ? {} : { feedback }),
          },
        });
        if (!accepted)
          send({ type: 'error', error: 'nothing waits for this answer', approval_id: approvalId });
      }
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    send({ type: 'error', error: translate(locale, error.words), code: error.code });
  }
}

/** Undefined for what is no JSON: the schema then says what was expected. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
