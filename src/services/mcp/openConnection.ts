import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type ClientOptions,
  type ConnectOptions,
  type OAuthClientProvider,
  type Transport,
} from '@modelcontextprotocol/client';
import { serverEnvironment } from './environment.ts';
import { isConnectionLost, wantsSignIn } from './failures.ts';
import { HttpTransport } from './HttpTransport.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import type { ProcessGuardian } from './ProcessGuardian.ts';
import { ResultSanitizer } from './ResultSanitizer.ts';
import type { ServerLog } from './ServerLog.ts';
import { StdioTransport } from './StdioTransport.ts';

export interface OpenOptions {
  config: McpServerConfig;
  /** Ours, from which a server's is made. */
  environment: Readonly<Record<string, string | undefined>>;
  version: string;
  client: Pick<ClientOptions, 'capabilities' | 'listChanged'>;
  /** Called on each new client before it connects: handlers are set here. */
  prepare: (client: Client) => void;
  auth: AuthProvider | OAuthClientProvider | undefined;
  /** A transport that asked for a sign-in: `finishAuth` belongs to it. */
  onSignInWanted: (transport: HttpTransport) => void;
  onLeftOut: (what: { method: string; name: string; reason: string }) => void;
  guardian: ProcessGuardian;
  log: ServerLog;
  signal: AbortSignal;
}

export interface OpenConnection {
  client: Client;
  transport: Transport;
  wire: 'stdio' | 'http' | 'sse';
}

/** Capabilities of a server that is pinned to a stateless revision and does not describe itself: each is found out by asking. */
const ASSUMED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {}, prompts: {} },
};

/** One try to connect, over HTTP and then over SSE where the entry leaves it open. Nothing is left behind when it rejects. */
export async function openConnection(options: OpenOptions): Promise<OpenConnection> {
  const { config, log } = options;
  if (config.target.type === 'stdio') return await connect('stdio', options);
  if (config.target.wire !== 'either') return await connect(config.target.wire, options);
  try {
    return await connect('http', options);
  } catch (error) {
    if (wantsSignIn(error) || options.signal.aborted || !speaksOtherwise(error)) throw error;
    log.add('lathe', 'info', 'it does not answer over streamable HTTP: trying SSE');
    try {
      return await connect('sse', options);
    } catch (second) {
      // The first answer says more about an address that speaks neither.
      throw wantsSignIn(second) ? second : error;
    }
  }
}

async function connect(wire: OpenConnection['wire'], options: OpenOptions): Promise<OpenConnection> {
  try {
    return await connectOnce(wire, options, undefined);
  } catch (error) {
    // A kept connection that the other side closed under our request: connecting does nothing that may not be done twice.
    if (wire !== 'stdio' && isConnectionLost(error) && !options.signal.aborted)
      return await connectOnce(wire, options, undefined);
    const isPinned = options.config.protocol !== 'auto' && options.config.protocol !== 'legacy';
    if (!isPinned || wire !== 'http' || wantsSignIn(error) || !isUndescribed(error)) throw error;
    options.log.add('lathe', 'info', 'it does not describe itself: each of its capabilities is asked for');
    return await connectOnce(wire, options, { kind: 'modern', discover: ASSUMED });
  }
}

async function connectOnce(
  wire: OpenConnection['wire'],
  options: OpenOptions,
  prior: ConnectOptions['prior'],
): Promise<OpenConnection> {
  const { config, version, client: clientOptions, prepare, log, signal, onSignInWanted } = options;
  const { protocol, timeout } = config;
  const client = new Client(
    { name: 'lathe', title: 'Lathe', version },
    {
      ...clientOptions,
      ...(protocol === 'legacy'
        ? {}
        : { versionNegotiation: { mode: protocol === 'auto' ? 'auto' : { pin: protocol } } }),
    },
  );
  prepare(client);
  const transport = transportOf(wire, options);
  transport.onerror = (error) => log.add('lathe', 'warning', error.message);
  try {
    await client.connect(transport, { timeout, signal, ...(prior ? { prior } : {}) });
    return { client, transport, wire };
  } catch (error) {
    if (wantsSignIn(error) && transport instanceof HttpTransport) onSignInWanted(transport);
    // The first failure is what counts; a half-open connection may refuse to close.
    await client.close().catch((late: unknown) => log.add('lathe', 'debug', String(late)));
    await transport.close().catch((late: unknown) => log.add('lathe', 'debug', String(late)));
    throw error;
  }
}

function transportOf(wire: OpenConnection['wire'], options: OpenOptions): Transport {
  const { config, environment, auth, onLeftOut, guardian, log } = options;
  const sanitizer = new ResultSanitizer(onLeftOut);
  const { target } = config;
  if (target.type === 'stdio') {
    const { command, args, cwd } = target;
    return new StdioTransport({
      ...{ command, args, cwd, log, sanitizer, guardian },
      environment: serverEnvironment(environment, target.environment),
    });
  }
  const given = {
    requestInit: { headers: target.headers },
    ...(auth ? { authProvider: auth } : {}),
  };
  const url = new URL(target.url);
  return new HttpTransport(
    wire === 'sse'
      ? new SSEClientTransport(url, given)
      : new StreamableHTTPClientTransport(url, {
          ...given,
          reconnectionOptions: {
            initialReconnectionDelay: 1000,
            maxReconnectionDelay: 30_000,
            reconnectionDelayGrowFactor: 2,
            maxRetries: 5,
          },
        }),
    sanitizer,
  );
}

/** The address answers, but not to streamable HTTP. */
function speaksOtherwise(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if (current instanceof SdkHttpError) return current.status >= 400 && current.status < 500;
    if (current instanceof SdkError && current.code === SdkErrorCode.ClientHttpUnexpectedContent) return true;
    current = current.cause;
  }
  return false;
}

/** It was reached and gave no usable description of itself. */
function isUndescribed(error: unknown): boolean {
  return (
    error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && !hasNetworkCause(error)
  );
}

function hasNetworkCause(error: Error): boolean {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if (current instanceof TypeError) return true;
    current = current.cause;
  }
  return false;
}
