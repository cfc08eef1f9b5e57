import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedRequest, Reply } from './ScriptedModel.ts';
import { readEvents } from './TestServer.ts';

export interface StreamedSession {
  name: string;
  /** What came, in the order in which it came. */
  text: string;
  /** What was wrong with its events; undefined when nothing was. */
  problem: string | undefined;
  /** Milliseconds from the model's piece to the client's event, one a piece. */
  delays: number[];
}

/** A model's answer of so many numbered pieces for the session that the request names; each piece says when it was sent. */
export function numberedPieces(pieces: number, delay: number): (request: ReceivedRequest) => Reply {
  return ({ text }) => {
    const name = /session-\d+/.exec(text)?.[0] ?? 'nobody';
    return { text: timed(name, pieces), delay };
  };
}

function* timed(name: string, pieces: number): Generator<string> {
  for (let index = 0; index < pieces; index++) yield `${name}/${index}@${performance.now().toFixed(2)} `;
}

/**
 * Sends one message into each of these sessions, at once or over so many milliseconds, and reads every answer to its end. In the
 * process of the model: its clock.
 */
export async function streamSessions(
  url: string,
  names: readonly string[],
  pieces: number,
  over = 0,
): Promise<StreamedSession[]> {
  return await Promise.all(
    names.map(async (name, index) => {
      await sleep((over * index) / names.length);
      return await streamed(url, name, pieces);
    }),
  );
}

async function streamed(url: string, name: string, pieces: number): Promise<StreamedSession> {
  const response = await fetch(`${url}/api/chat/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: name, message: `Count, ${name}`, attachments: null }),
  });
  const session: StreamedSession = { name, text: '', problem: undefined, delays: [] };
  const events: string[] = [];
  for await (const { event, data } of readEvents(response)) {
    const now = performance.now();
    if (events.at(-1) !== event) events.push(event);
    if (event !== 'message') continue;
    const { content } = data as { content: string };
    session.text += content;
    for (const [, sent] of content.matchAll(/@(\d+\.\d+) /g)) session.delays.push(now - Number(sent));
  }
  const numbers = [...session.text.matchAll(/(session-\d+)\/(\d+)@\d+\.\d+ /g)].map(
    ([, of, index]) => `${of} ${index}`,
  );
  const expected = Array.from({ length: pieces }, (_, index) => `${name} ${index}`);
  if (numbers.join() !== expected.join()) session.problem = `pieces: ${numbers.join().slice(0, 500)}`;
  if (events.join() !== 'start,message,done') session.problem = `events: ${events.join()}`;
  return session;
}
