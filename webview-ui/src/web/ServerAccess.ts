import * as z from 'zod';

const TOKEN = 'lathe.token';
/** Milliseconds in which a server that is there answers. */
const PATIENCE = 10_000;
/** What can be sent as a token at all. */
const SENDABLE = /^[\x21-\x7e]+$/;

const infoSchema = z.object({ workspace: z.string() });
export type ServerInfo = z.infer<typeof infoSchema>;

/** What the server says to whoever wants in. `refused`: it asks for a token, or for another one. */
export type Answer =
  { type: 'welcome'; info: ServerInfo } | { type: 'refused'; tried: boolean } | { type: 'away' };

/** Where the server is, and what it is shown so that it answers. The token is kept as long as the tab is, and in no address. */
export class ServerAccess {
  #token: string | undefined;

  constructor() {
    const given = /^#token=(.+)$/.exec(location.hash)?.[1];
    if (given === undefined) this.#token = sessionStorage.getItem(TOKEN) ?? undefined;
    else {
      this.setToken(decodeURIComponent(given));
      history.replaceState(null, '', location.pathname + location.search);
    }
  }

  setToken(token: string): void {
    this.#token = token;
    sessionStorage.setItem(TOKEN, token);
  }

  /** Asks whether we may come in. */
  async ask(): Promise<Answer> {
    const token = this.#token;
    if (token !== undefined && !SENDABLE.test(token)) return { type: 'refused', tried: true };
    try {
      const response = await fetch('api/page', {
        cache: 'no-store',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (response.status === 401) return { type: 'refused', tried: token !== undefined };
      if (!response.ok) return { type: 'away' };
      return { type: 'welcome', info: infoSchema.parse(await response.json()) };
    } catch (error) {
      // Nobody answers there, or somebody else: both may pass.
      if (error instanceof Error) return { type: 'away' };
      throw error;
    }
  }

  /** A browser can set no header here: the token is one of the protocols that are offered, in characters that a name may have. */
  openSocket(): WebSocket {
    const address = new URL('ws', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const plain = (token: string): string =>
      encodeURIComponent(token).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
    const token = this.#token === undefined ? [] : [`lathe.token.${plain(this.#token)}`];
    return new WebSocket(address, ['lathe', ...token]);
  }
}
