import type { RawData, WebSocket } from 'ws';
import type { Logger } from '../../core/Logger.ts';
import type { ServerMessage } from '../../shared/wire.ts';
import { PageConnection, type EditorHandlers } from '../page/PageConnection.ts';
import { frameText } from './frameText.ts';
import type { ServedAgent } from './ServedAgent.ts';

/** Milliseconds between looks whether the other side is still there. */
const PULSE = 30_000;
/** Requests of one page that are answered at one time; further ones wait in its connection. */
const MOST_AT_ONCE = 64;

export interface PageSocketOptions {
  socket: WebSocket;
  agent: ServedAgent;
  editor: EditorHandlers;
  logger: Logger;
  /** The folder that is served, absolute. */
  workspace: string;
  /** Bytes that may wait for a page that does not read: then it is closed, and comes again. */
  backlog: number;
}

/** One page of the web chat: its requests in, answers and the events of the tasks that it subscribed to out. */
export function openPageSocket({
  socket,
  agent,
  editor,
  logger,
  workspace,
  backlog,
}: PageSocketOptions): void {
  const post = (message: ServerMessage): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > backlog) {
      connection.dispose();
      socket.close(1013, 'the page does not read');
    } else socket.send(JSON.stringify(message));
  };
  const connection = new PageConnection({
    ...{ editor, logger, post },
    agent: () => Promise.resolve(agent),
    folders: () => [workspace],
  });
  let answering = 0;
  const answer = async (message: unknown): Promise<void> => {
    if (++answering >= MOST_AT_ONCE) socket.pause();
    await connection.receive(message);
    if (--answering < MOST_AT_ONCE && socket.isPaused) socket.resume();
  };
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parsed(data);
    if (message) void answer(message.value);
    else socket.close(1007, 'a message is JSON');
  });
  const stopPulse = pulse(socket);
  socket.on('close', () => {
    stopPulse();
    connection.dispose();
  });
}

function parsed(data: RawData): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(frameText(data)) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A connection whose other side went without a word (sleep, another network) would count as a person for hours. */
function pulse(socket: WebSocket): () => void {
  let heard = true;
  socket.on('pong', () => {
    heard = true;
  });
  const timer = setInterval(() => {
    if (!heard) {
      socket.terminate();
      return;
    }
    heard = false;
    socket.ping();
  }, PULSE);
  timer.unref();
  return () => clearInterval(timer);
}
