import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/**
 * A web proxy on loopback, for names that only it knows: what comes for a host goes to the port that stands for it. Keeps what it was
 * asked for, with what proved who asks.
 */
export class ProxyServer {
  /** `POST http://host/path` or `CONNECT host:port`, and behind it who asks. */
  readonly requests: string[] = [];
  readonly #hosts: ReadonlyMap<string, number>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What must prove who asks: `name:password`. Others get 407. */
  #person: string | undefined;

  private constructor(hosts: ReadonlyMap<string, number>, person: string | undefined) {
    this.#hosts = hosts;
    this.#person = person;
    this.#server = createServer((request, response) => {
      const target = new URL(request.url ?? '');
      if (!this.#admits(request, target.href)) {
        response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
        return;
      }
      const port = this.#hosts.get(target.hostname);
      if (port === undefined) {
        response.writeHead(502).end();
        return;
      }
      const { 'proxy-authorization': _, ...headers } = request.headers;
      const path = `${target.pathname}${target.search}`;
      const onward = send({ host: '127.0.0.1', port, path, method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const [host = ''] = (request.url ?? '').split(':');
      const port = this.#hosts.get(host);
      if (!this.#admits(request, request.url ?? '') || port === undefined) {
        socket.end(`HTTP/1.1 ${port === undefined ? '502 Bad Gateway' : '407 Who Are You'}\r\n\r\n`);
        return;
      }
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.write(head);
        onward.pipe(socket);
        socket.pipe(onward);
      });
      this.#keep(onward);
      for (const end of [onward, socket]) end.on('error', () => end.destroy());
    });
  }

  static async start(hosts: Readonly<Record<string, number>>, person?: string): Promise<ProxyServer> {
    const proxy = new ProxyServer(new Map(Object.entries(hosts)), person);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Its host and port. */
  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #admits({ method, headers }: IncomingMessage, target: string): boolean {
    const [, proof = ''] = /^Basic (.+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
    const who = Buffer.from(proof, 'base64').toString();
    this.requests.push(`${method} ${target}${who === '' ? '' : ` by ${who}`}`);
    return this.#person === undefined || who === this.#person;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
