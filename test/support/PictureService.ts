import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export interface PictureCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** What is answered: a body for JSON, or bytes; `hang` never answers. */
export type PictureAnswer = { status?: number; json: unknown } | { bytes: Buffer } | 'hang';

/** A service that makes pictures, on loopback: it keeps what it was asked and gives the answers in turn. */
export class PictureService {
  readonly calls: PictureCall[] = [];
  readonly #server: Server;
  readonly #answers: PictureAnswer[];

  private constructor(answers: PictureAnswer[]) {
    this.#answers = answers;
    this.#server = createServer((request, response) => this.#take(request, response));
  }

  static async start(answers: PictureAnswer[]): Promise<PictureService> {
    const service = new PictureService(answers);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Appends to what is answered: an answer can name this service's own address. */
  answer(answer: PictureAnswer): void {
    this.#answers.push(answer);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      this.calls.push({ method, path, headers, body: Buffer.concat(parts) });
      const answer = this.#answers.shift() ?? { status: 500, json: { error: { message: 'nothing left' } } };
      if (answer === 'hang') return;
      if ('bytes' in answer) response.end(answer.bytes);
      else
        response
          .writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer.json));
    });
  }
}
