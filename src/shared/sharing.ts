import type { Message } from './strings.ts';
import type { ProtocolErrorData } from './protocol.ts';

/** How servers share tasks: what one keeps for another, and what they tell each other. */

/** A call of the protocol that waits for a turn of its task. */
export interface WaitingCall {
  /** The journal knows a message by it. */
  id: string;
  method: string;
  params: unknown;
  /** The server that waits for the answer. */
  caller: string;
}

export type SharedAnswer = { ok: true; result: unknown } | { ok: false; error: ProtocolErrorData };

/** A piece of what the model says, of one request. */
export interface TextPiece {
  requestId: string;
  /** The block that it is of. */
  block: number;
  /** Characters of the request's text before it. */
  at: number;
  text: string;
}

export type Bulletin =
  /** The task's journal has entries up to `seq`; the pieces came behind them. */
  | {
      type: 'events';
      taskId: string;
      parent?: string;
      seq: number;
      pieces: TextPiece[];
      /** A turn that could not even write down its end. */
      failed?: { error: Message; unsent: string[] };
    }
  /** Pieces are missing here: the server that runs the task is to send them all again. */
  | { type: 'again'; taskId: string }
  /** Calls wait for the task. */
  | { type: 'calls'; taskId: string }
  /** A call for the server that runs the task. */
  | { type: 'call'; to: string; id: string; method: string; params: unknown }
  | { type: 'answer'; to: string; id: string; answer: SharedAnswer }
  /** Other sessions are watched. */
  | { type: 'presence' }
  /** A notification of the protocol. */
  | { type: 'notification'; name: string; params: unknown };
