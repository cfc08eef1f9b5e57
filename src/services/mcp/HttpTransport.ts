import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ResultSanitizer } from './ResultSanitizer.ts';

type Inner = Transport & { finishAuth(params: URLSearchParams): Promise<void> };

/** The SDK's own transport over HTTP, with answers mended on their way in. */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly inner: Inner;
  readonly #sanitizer: ResultSanitizer;

  constructor(inner: Inner, sanitizer: ResultSanitizer) {
    this.inner = inner;
    this.#sanitizer = sanitizer;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.onmessage?.(this.#sanitizer.received(message), extra);
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.inner.hasPerRequestStream === true;
  }

  async start(): Promise<void> {
    await this.inner.start();
  }

  async send(message: JSONRPCMessage, options?: Parameters<Transport['send']>[1]): Promise<void> {
    this.#sanitizer.sent(message);
    await this.inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }
}
