import type { Socket } from 'node:net';

/** The proxy let nothing through, or did not answer. `reason`: a status or the code of a failure. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the proxy: ${reason}`, options);
  }
}

/**
 * A line through a proxy to the server of an `https:` address, on which that server's TLS can begin. It ends when the signal fires,
 * also later. `proxy`: `http:` or `https:`, with name and password where it wants them.
 * @throws TunnelError, or the signal's reason
 */
export async function openTunnel(url: URL, proxy: string, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const at = new URL(proxy);
  const target = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  const { request: send } = await (at.protocol === 'https:' ? import('node:https') : import('node:http'));
  return await new Promise<Socket>((resolve, reject) => {
    const request = send({
      method: 'CONNECT',
      host: at.hostname.replace(/^\[|\]$/g, ''),
      port: at.port === '' ? undefined : at.port,
      path: target,
      headers: { host: target, ...proofOf(at) },
      agent: false,
      signal,
    });
    request.once('connect', ({ statusCode = 0 }, socket: Socket, first: Buffer) => {
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        reject(new TunnelError(String(statusCode)));
        return;
      }
      const end = (): void => void socket.destroy();
      signal.addEventListener('abort', end, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', end));
      if (first.length > 0) socket.unshift(first);
      resolve(socket);
    });
    request.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name;
      reject(signal.aborted ? reasonOf(signal) : new TunnelError(`${at.host}, ${code}`, { cause: error }));
    });
    request.end();
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function proofOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const proof = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { 'proxy-authorization': `Basic ${proof.toString('base64')}` };
}
