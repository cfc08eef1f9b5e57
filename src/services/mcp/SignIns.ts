import { createHash } from 'node:crypto';
import {
  ClientCredentialsProvider,
  UnauthorizedError,
  type AuthProvider,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { wantsSignIn } from './failures.ts';
import { LoopbackPage } from './LoopbackPage.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import type { ServerConnection } from './ServerConnection.ts';
import { isWebAddress } from './ServerRequests.ts';
import { SignInSession, type SessionStore } from './SignInSession.ts';

export interface SecretKeeper {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Opens an address in the person's browser. `server` is whose sign-in it is, for the question before it. */
export type OpenAddress = (address: URL, server: string) => Promise<void>;

/** Milliseconds that a person has to sign in. */
const PATIENCE = 10 * 60_000;
/** Pages that one sign-in may lead through: a server that is never content must not go on for ever. */
const ROUNDS = 3;

/** Signing in to servers that want it: when the person says so, in their browser, with what comes of it in the secret store. */
export class SignIns {
  readonly #secrets: SecretKeeper | undefined;
  readonly #openAddress: OpenAddress | undefined;
  readonly #sessions = new Map<string, Promise<SignInSession>>();
  readonly #interactive = new Set<string>();

  constructor({ secrets, openAddress }: { secrets?: SecretKeeper; openAddress?: OpenAddress }) {
    this.#secrets = secrets;
    this.#openAddress = openAddress;
  }

  /**
   * What a connection shows as its right to connect. Without tokens, and without a person who asked to sign in, nothing is asked of
   * an authorization server: the server's 401 is the answer.
   */
  async provider(config: McpServerConfig): Promise<AuthProvider | OAuthClientProvider | undefined> {
    const { target, oauth, name } = config;
    if (target.type === 'stdio') return undefined;
    const { clientId, clientSecret, grant, issuer, scopes } = oauth;
    if (grant === 'client_credentials' && clientId && clientSecret && issuer)
      return new ClientCredentialsProvider({
        ...{ clientId, clientSecret, expectedIssuer: issuer },
        clientName: 'Lathe',
        ...(scopes ? { scope: scopes.join(' ') } : {}),
      });
    const session = await this.#session(config);
    if (session.hasTokens || this.#interactive.has(name)) return session;
    return {
      token: () => Promise.resolve(undefined),
      onUnauthorized: () => Promise.reject(new UnauthorizedError(`'${name}' wants the person to sign in`)),
    };
  }

  /** @throws an Error that says why it did not come to that */
  async signIn(connection: ServerConnection, signal: AbortSignal): Promise<void> {
    const { config } = connection;
    const openAddress = this.#openAddress;
    if (!openAddress || config.target.type === 'stdio') throw new Error('there is no way to sign in here');
    const session = await this.#session(config);
    const page = await LoopbackPage.open(session.port);
    const until = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
    this.#interactive.add(config.name);
    try {
      if (session.port !== page.port) {
        // What was begun would come back to another address.
        session.pending = undefined;
        await session.usePort(page.port);
      }
      for (let round = 0; ; round++) {
        const pending = session.pending;
        const transport = connection.signInTransport;
        if (!pending || !transport) {
          if (await this.#connects(connection)) return;
          if (!session.pending) throw new Error(`'${config.name}' does not say where to sign in`);
          continue;
        }
        if (round > ROUNDS) throw new Error(`'${config.name}' asks to sign in again and again`);
        if (!isWebAddress(pending.url.href)) throw new Error('the page to sign in on is not on the web');
        await openAddress(pending.url, config.name);
        const params = await page.answer(pending.state, until);
        await transport.inner.finishAuth(params);
        session.pending = undefined;
        if (await this.#connects(connection)) return;
      }
    } finally {
      this.#interactive.delete(config.name);
      session.pending = undefined;
      page.close();
    }
  }

  async signOut(config: McpServerConfig): Promise<void> {
    if (config.target.type === 'stdio') return;
    await (await this.#session(config)).forget();
  }

  async #connects(connection: ServerConnection): Promise<boolean> {
    try {
      await connection.restart();
      return true;
    } catch (error) {
      if (wantsSignIn(error)) return false;
      throw error;
    }
  }

  #session(config: McpServerConfig): Promise<SignInSession> {
    const { target, oauth } = config;
    const address = target.type === 'stdio' ? '' : target.url;
    const known = this.#sessions.get(address);
    if (known) return known;
    const opened = SignInSession.open(oauth, this.#store(address));
    this.#sessions.set(address, opened);
    opened.catch(() => this.#sessions.delete(address)); // the caller hears of it; the next one tries again
    return opened;
  }

  #store(address: string): SessionStore {
    const name = `lathe.mcp.${createHash('sha256').update(address).digest('hex').slice(0, 32)}`;
    const secrets = this.#secrets;
    if (secrets)
      return {
        read: async () => await secrets.get(name),
        write: async (text) => await secrets.set(name, text),
        delete: async () => await secrets.delete(name),
      };
    let held: string | undefined;
    return {
      read: () => Promise.resolve(held),
      write: (text) => {
        held = text;
        return Promise.resolve();
      },
      delete: () => {
        held = undefined;
        return Promise.resolve();
      },
    };
  }
}
