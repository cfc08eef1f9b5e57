import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { googleEvents } from './model/googleEvents.ts';
import { responsesEvents } from './model/responsesEvents.ts';

/** One answer of the scripted model. Without a status it is a stream in the wire format of the path that was asked. */
export interface Reply {
  /** Cut into chunks; or chunks, each made when it is sent. */
  text?: string | Iterable<string>;
  reasoning?: string;
  /** Anthropic: a thought that only the provider can read. */
  redacted?: string;
  calls?: {
    name: string;
    arguments: unknown;
    /** Sent as it is instead of the arguments' JSON. */ raw?: string;
  }[];
  /** Characters of a chunk of text or of arguments; 7 by default. */
  chunk?: number;
  /** Milliseconds between chunks. */
  delay?: number;
  /** After this many events nothing more comes, and the connection stays open. */
  stallAfter?: number;
  /** After this many events the connection breaks. */
  cutAfter?: number;
  /** Leaves out the finish reason and what comes after it. */
  unfinished?: boolean;
  finish?: 'length' | 'content_filter';
  usage?: {
    input: number;
    output: number;
    cacheRead?: number;
    cacheWrite?: number;
    reasoning?: number;
    /** US dollars, as OpenRouter says them. */
    cost?: number;
  };
  /** Not even headers come, and the connection stays open. */
  silent?: boolean;
  /** An error instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  error?: string;
  /** More fields of the error. */
  details?: Record<string, unknown>;
  /** This body as it is; an event stream with status 200 unless `headers` and `status` say otherwise. */
  rawBody?: string;
}

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** The body as it came. */
  raw: string;
  /** Everything the request says to the model, as one text: to look for results in. */
  text: string;
}

/** What to answer: fixed, or made from the request. */
export type Turn = Reply | ((request: ReceivedRequest) => Reply);

/** Longest that a stalled answer keeps its connection, so that nothing outlives a test run. */
const LONGEST_STALL = 60_000;

/**
 * A model for tests: a real HTTP server on loopback that speaks OpenAI's chat completions (`/v1/chat/completions`) and responses
 * (`/v1/responses`), Anthropic's messages (`/v1/messages`) and Google's `…:streamGenerateContent`, streamed. It answers by a script,
 * one turn a request, and keeps what it was asked.
 */
export class ScriptedModel {
  readonly requests: ReceivedRequest[] = [];
  /** What to answer next; turns may be added while it runs. Past the end it answers HTTP 500. */
  readonly turns: Turn[];
  readonly #server: Server;
  #answering = 0;
  #connections = 0;

  private constructor(turns: Turn[]) {
    this.turns = turns;
    this.#server = createServer((request, response) => {
      this.#answering++;
      response.once('close', () => this.#answering--);
      this.#answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    });
    this.#server.on('connection', () => this.#connections++);
  }

  static async start(turns: Turn[]): Promise<ScriptedModel> {
    const model = new ScriptedModel([...turns]);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  /** Base URL for every wire format; Google’s takes any prefix. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Connections that were ever opened to it. */
  get connections(): number {
    return this.#connections;
  }

  /** Requests whose answer has neither ended nor lost its connection. */
  get answering(): number {
    return this.#answering;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let raw = '';
    for await (const chunk of request.setEncoding('utf8')) raw += String(chunk);
    const path = request.url ?? '';
    if (request.method === 'GET' && path === '/v1/models') {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
      return;
    }
    const body = JSON.parse(raw === '' ? '{}' : raw) as Record<string, unknown>;
    const received: ReceivedRequest = {
      path,
      headers: request.headers,
      body,
      raw,
      text: JSON.stringify(body.messages ?? body.contents ?? body.input ?? []),
    };
    const turn = this.turns[this.requests.length];
    this.requests.push(received);
    const reply: Reply =
      turn === undefined
        ? { status: 500, error: 'the script has ended' }
        : typeof turn === 'function'
          ? turn(received)
          : turn;
    const wire = wireOf(path);
    if (reply.silent === true) {
      await stall(response);
      return;
    }
    if (reply.status !== undefined && reply.rawBody === undefined) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      const message = reply.error ?? 'scripted error';
      const error =
        wire === 'google'
          ? { code: reply.status, message, status: 'SCRIPTED', ...reply.details }
          : { type: 'error', message, ...reply.details };
      response.end(JSON.stringify(wire === 'anthropic' ? { type: 'error', error } : { error }));
      return;
    }
    response.writeHead(reply.status ?? 200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      ...reply.headers,
    });
    response.flushHeaders();
    if (reply.rawBody !== undefined) {
      response.end(reply.rawBody);
      return;
    }
    await stream(response, reply, eventsOf[wire](reply));
  }
}

type Wire = 'openai' | 'responses' | 'anthropic' | 'google';

const eventsOf: Record<Wire, (reply: Reply) => Iterable<string>> = {
  openai: openaiEvents,
  responses: responsesEvents,
  anthropic: anthropicEvents,
  google: googleEvents,
};

function wireOf(path: string): Wire {
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/responses')) return 'responses';
  return path.includes(':streamGenerateContent') ? 'google' : 'openai';
}

async function stall(response: ServerResponse): Promise<void> {
  await Promise.race([once(response, 'close'), sleep(LONGEST_STALL, undefined, { ref: false })]);
  response.destroy();
}

async function stream(response: ServerResponse, reply: Reply, events: Iterable<string>): Promise<void> {
  let sent = 0;
  for (const event of events) {
    if (sent === reply.cutAfter) {
      // What was sent must have left: a reset connection throws away what the other side has not read.
      await sleep(50);
      response.destroy();
      return;
    }
    if (sent === reply.stallAfter) {
      await stall(response);
      return;
    }
    if (response.destroyed) return;
    response.write(event);
    sent++;
    if (reply.delay !== undefined) await sleep(reply.delay);
  }
  response.end();
}

function* openaiEvents(reply: Reply): Iterable<string> {
  const event = (choice: object | undefined, more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [], ...more })}\n\n`;
  yield event({ delta: { role: 'assistant', content: '' } });
  for (const text of pieces(reply.reasoning ?? '', reply))
    yield event({ delta: { reasoning_content: text } });
  for (const text of pieces(reply.text ?? '', reply)) yield event({ delta: { content: text } });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    yield event({
      delta: {
        tool_calls: [
          { index, id: callId(index), type: 'function', function: { name: call.name, arguments: '' } },
        ],
      },
    });
    for (const text of pieces(call.raw ?? JSON.stringify(call.arguments), reply))
      yield event({ delta: { tool_calls: [{ index, function: { arguments: text } }] } });
  }
  if (reply.unfinished === true) return;
  yield event({ delta: {}, finish_reason: reply.finish ?? (reply.calls ? 'tool_calls' : 'stop') });
  const { input, output, cacheRead = 0, reasoning = 0, cost } = reply.usage ?? { input: 100, output: 10 };
  yield event(undefined, {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
      completion_tokens_details: { reasoning_tokens: reasoning },
      cost,
    },
  });
  yield 'data: [DONE]\n\n';
}

function* anthropicEvents(reply: Reply): Iterable<string> {
  const event = (data: { type: string } & Record<string, unknown>): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = reply.usage ?? { input: 100, output: 10 };
  yield event({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input - cacheRead - cacheWrite,
        output_tokens: 1,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite,
      },
    },
  });
  let index = 0;
  if (reply.reasoning !== undefined) {
    yield event({
      type: 'content_block_start',
      index,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    });
    for (const thinking of pieces(reply.reasoning, reply))
      yield event({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking } });
    yield event({
      type: 'content_block_delta',
      index,
      delta: { type: 'signature_delta', signature: 'signed' },
    });
    yield event({ type: 'content_block_stop', index: index++ });
  }
  if (reply.redacted !== undefined) {
    yield event({
      type: 'content_block_start',
      index,
      content_block: { type: 'redacted_thinking', data: reply.redacted },
    });
    yield event({ type: 'content_block_stop', index: index++ });
  }
  if (reply.text !== undefined) {
    yield event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    for (const text of pieces(reply.text, reply))
      yield event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    yield event({ type: 'content_block_stop', index: index++ });
  }
  for (const [number, call] of (reply.calls ?? []).entries()) {
    yield event({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: callId(number), name: call.name, input: {} },
    });
    for (const json of pieces(call.raw ?? JSON.stringify(call.arguments), reply))
      yield event({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: json },
      });
    yield event({ type: 'content_block_stop', index: index++ });
  }
  if (reply.unfinished === true) return;
  const stop =
    reply.finish === 'length'
      ? 'max_tokens'
      : reply.finish === 'content_filter'
        ? 'refusal'
        : reply.calls
          ? 'tool_use'
          : 'end_turn';
  yield event({
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: output },
  });
  yield event({ type: 'message_stop' });
}

let calls = 0;
export function callId(index: number): string {
  return `call_scripted_${++calls}_${index}`;
}

export function* pieces(text: string | Iterable<string>, { chunk = 7 }: Reply): Iterable<string> {
  if (typeof text !== 'string') yield* text;
  else for (let at = 0; at < text.length; at += chunk) yield text.slice(at, at + chunk);
}

/** A call in text, as a model of the XML protocol writes it. */
export function xmlCall(name: string, params: Record<string, string>): string {
  const rows = Object.entries(params).map(
    ([param, value]) => `<${param}>${value.includes('\n') ? `\n${value}\n` : value}</${param}>`,
  );
  return `<${name}>\n${rows.join('\n')}\n</${name}>`;
}
