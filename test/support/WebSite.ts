import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Pages on loopback: path → HTML, or what answers. */
export class WebSite {
  readonly #server: Server;
  /** Paths that were asked for, in order; the icon that browsers ask for is not among them. */
  readonly requests: string[] = [];

  private constructor(pages: Readonly<Record<string, Page>>) {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      if (path === '/favicon.ico') {
        response.writeHead(204).end();
        return;
      }
      this.requests.push(path);
      const page = pages[path];
      if (typeof page === 'function') page(request, response);
      else
        response
          .writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
          .end(page ?? '<title>Not here</title>Nothing here.');
    });
  }

  static async start(pages: Readonly<Record<string, Page>>): Promise<WebSite> {
    const site = new WebSite(pages);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Waits until this path was asked for so often. */
  async asked(path: string, count: number): Promise<void> {
    const times = (): number => this.requests.filter((asked) => asked === path).length;
    for (const end = Date.now() + 30_000; times() < count && Date.now() < end;) await sleep(20);
    if (times() < count) throw new Error(`${path} was asked for ${times()} times`);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
