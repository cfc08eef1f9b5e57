import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lathe</title>
<body style="font: 16px system-ui; margin: 20vh auto; max-width: 30em; text-align: center">
<p>Lathe has the answer. This page can be closed.</p><p>Lathe 已收到结果，可以关闭此页面。</p></body></html>`;

/** The page on this machine that a browser comes back to after a sign-in. Open only while one goes on. */
export class LoopbackPage {
  readonly port: number;
  readonly #server: Server;
  #arrived: ((params: URLSearchParams) => void) | undefined;
  #early: URLSearchParams | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
      if (request.method !== 'GET' || url.pathname !== '/callback') {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(PAGE);
      if (this.#arrived) this.#arrived(url.searchParams);
      else this.#early = url.searchParams;
    });
  }

  /** Listens on the port that is wanted, or on another when it is taken. */
  static async open(wanted: number | undefined): Promise<LoopbackPage> {
    try {
      return await LoopbackPage.#listen(wanted ?? 0);
    } catch (error) {
      if (wanted === undefined || !(error instanceof Error && 'code' in error)) throw error;
      return await LoopbackPage.#listen(0);
    }
  }

  static async #listen(port: number): Promise<LoopbackPage> {
    const { createServer } = await import('node:http');
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return new LoopbackPage(server, (server.address() as AddressInfo).port);
  }

  /** What the browser brought, when its `state` is ours; any other visit is passed over. Rejects when the signal fires. */
  async answer(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    return await new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#arrived = (params) => {
        if (params.get('state') !== state) return;
        signal.removeEventListener('abort', onAbort);
        this.#arrived = undefined;
        resolve(params);
      };
      const early = this.#early;
      this.#early = undefined;
      if (early) this.#arrived(early);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
