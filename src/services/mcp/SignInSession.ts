import { randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { OAuthConfig } from './McpServerConfig.ts';

const record = z.record(z.string(), z.unknown());
const keptSchema = z.object({
  /** The port of the address that browsers come back to; part of what we are registered with. */
  port: z.number().optional(),
  /** By the issuer that they belong to: what one gave is never shown to another. */
  clients: z.record(z.string(), record).default({}),
  tokens: z.record(z.string(), record).default({}),
  lastIssuer: z.string().optional(),
});
type KeptSession = z.infer<typeof keptSchema>;

/** The way to one entry of the secret store. */
export interface SessionStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  delete(): Promise<void>;
}

/** What is known of signing in to one server: registrations and tokens, kept as secrets, and the sign-in that goes on. */
export class SignInSession implements OAuthClientProvider {
  readonly #config: OAuthConfig;
  readonly #store: SessionStore;
  #kept: KeptSession;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;
  /** The page of the sign-in that was begun and its state, until it is done. */
  pending: { url: URL; state: string } | undefined;
  #state = '';

  private constructor(config: OAuthConfig, store: SessionStore, kept: KeptSession) {
    this.#config = config;
    this.#store = store;
    this.#kept = kept;
  }

  static async open(config: OAuthConfig, store: SessionStore): Promise<SignInSession> {
    const text = await store.read();
    const parsed = keptSchema.safeParse(text === undefined ? {} : parseJson(text));
    return new SignInSession(config, store, parsed.success ? parsed.data : keptSchema.parse({}));
  }

  get hasTokens(): boolean {
    return Object.keys(this.#kept.tokens).length > 0;
  }

  get port(): number | undefined {
    return this.#kept.port;
  }

  /** Another port is another address to come back to: registrations with the old one are of no use. */
  async usePort(port: number): Promise<void> {
    if (this.#kept.port === port) return;
    await this.#keep({ ...this.#kept, port, clients: {} });
  }

  get redirectUrl(): string {
    return `http://127.0.0.1:${this.#kept.port ?? 0}/callback`;
  }

  get clientMetadataUrl(): string | undefined {
    return this.#config.clientMetadataUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes, clientSecret } = this.#config;
    return {
      client_name: 'Lathe',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(scopes ? { scope: scopes.join(' ') } : {}),
    };
  }

  state(): string {
    this.#state = randomBytes(24).toString('base64url');
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#config;
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    const kept = this.#kept.clients[issuerOf(context, this.#kept.lastIssuer)];
    return kept as StoredOAuthClientInformation | undefined;
  }

  async saveClientInformation(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    const issuer = issuerOf(context, this.#kept.lastIssuer);
    await this.#keep({ ...this.#kept, clients: { ...this.#kept.clients, [issuer]: { ...information } } });
  }

  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    return this.#kept.tokens[issuerOf(context, this.#kept.lastIssuer)] as StoredOAuthTokens | undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    const issuer = issuerOf(context, this.#kept.lastIssuer);
    this.#discovery = undefined;
    await this.#keep({
      ...this.#kept,
      tokens: { ...this.#kept.tokens, [issuer]: { ...tokens } },
      lastIssuer: issuer,
    });
  }

  /** Nothing is opened here: a person asks for the sign-in, and then it is. */
  redirectToAuthorization(url: URL): void {
    this.pending = { url, state: this.#state };
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  /** Only from the redirect to its end: later a server may have moved to another authorization server. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.pending ? this.#discovery : undefined;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'all') this.#verifier = '';
    if (scope === 'discovery' || scope === 'all') this.#discovery = undefined;
    if (scope === 'tokens') await this.#keep({ ...this.#kept, tokens: {} });
    if (scope === 'client') await this.#keep({ ...this.#kept, clients: {} });
    if (scope === 'all') await this.#keep({ ...this.#kept, tokens: {}, clients: {} });
  }

  async forget(): Promise<void> {
    this.#kept = keptSchema.parse({});
    this.pending = undefined;
    await this.#store.delete();
  }

  async #keep(kept: KeptSession): Promise<void> {
    this.#kept = kept;
    await this.#store.write(JSON.stringify(kept));
  }
}

function issuerOf(context: OAuthClientInformationContext | undefined, last: string | undefined): string {
  return context?.issuer ?? last ?? '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
