import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What operators look at, in Prometheus' text format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: 'lathe_http_request_seconds',
    help: 'Time until the answer to a request began',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.#registry],
  });
  readonly #streams = new Gauge({
    name: 'lathe_streams',
    help: 'Answers that are streamed now',
    registers: [this.#registry],
  });
  readonly #streamed = new Counter({
    name: 'lathe_streams_total',
    help: 'Answers that were streamed',
    registers: [this.#registry],
  });

  constructor({ sessions, sockets }: { sessions: () => number; sockets: () => number }) {
    const registers = [this.#registry];
    new Gauge({
      ...{ name: 'lathe_sessions', help: 'Sessions that are kept open', registers },
      collect() {
        this.set(sessions());
      },
    });
    new Gauge({
      ...{ name: 'lathe_websockets', help: 'WebSocket connections', registers },
      collect() {
        this.set(sockets());
      },
    });
    new Gauge({
      ...{ name: 'lathe_memory_bytes', help: 'Memory of the process', registers },
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
  }

  /** A request began. Call what it returns with the status of the answer. */
  request(method: string, path: string): (status: number) => void {
    const end = this.#requests.startTimer({ method, route: routeOf(path) });
    return (status) => void end({ status });
  }

  /** An answer is streamed until the returned function is called. */
  stream(): () => void {
    this.#streams.inc();
    this.#streamed.inc();
    return () => this.#streams.dec();
  }

  async page(): Promise<Response> {
    return new Response(await this.#registry.metrics(), {
      headers: { 'content-type': this.#registry.contentType },
    });
  }
}

/** One label for all sessions: ids would make a row for each. Whatever else is asked for is one label too. */
function routeOf(path: string): string {
  const known = path.replace(/^(\/api\/chat\/sessions\/)[^/]+/, '$1:id');
  return /^\/(api\/chat\/(send|sessions(\/:id\/(messages|events))?)|rpc\/[a-z]+\/[a-zA-Z]+|metrics|openapi\.json)$/.test(
    known,
  )
    ? known
    : 'other';
}
