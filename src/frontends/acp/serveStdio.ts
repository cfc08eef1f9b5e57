import { ndJsonStream } from '@agentclientprotocol/sdk';
import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { serve, type ServeOptions } from './serve.ts';

/** Serves the client at the other end of standard input and output. */
export async function serveStdio(options: Omit<ServeOptions, 'stream'>): Promise<void> {
  // Frames alone go to standard output: whatever a package prints would break the wire.
  globalThis.console = new Console(process.stderr, process.stderr);
  const gone = new AbortController();
  // The reader of our output has gone: nobody is served any more.
  process.stdout.on('error', () => gone.abort());
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  await serve({
    ...options,
    signal: AbortSignal.any([options.signal, gone.signal]),
    stream: ndJsonStream(Writable.toWeb(process.stdout), input),
  });
  // Nothing more is read, so that the process can end.
  process.stdin.destroy();
}
