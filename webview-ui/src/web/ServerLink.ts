import type { ServerAccess, ServerInfo } from './ServerAccess.ts';

/** Milliseconds before the first attempt to come back, and the most before a further one. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** Milliseconds for which a connection must have held for the next pause to be the first again. */
const STEADY = 5000;
/** Milliseconds in which a connection opens. */
const PATIENCE = 10_000;

export interface LinkListener {
  opened: (info: ServerInfo) => void;
  /** The connection broke; it is tried again. */
  lost: () => void;
  /** An attempt found nobody; it is tried again. */
  away: () => void;
  /** The server asks for a token, or for another than was `tried`. Nothing more is tried before `open`. */
  refused: (tried: boolean) => void;
  message: (text: string) => void;
}

/** The line to the server. When it breaks it is opened again, after pauses that grow. */
export class ServerLink {
  readonly #access: ServerAccess;
  readonly #listener: LinkListener;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #trying = false;

  constructor(access: ServerAccess, listener: LinkListener) {
    this.#access = access;
    this.#listener = listener;
    // What changed around the page is a reason not to wait any longer.
    window.addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#hurry();
    });
  }

  /** Tries now, unless it is open or being tried. */
  open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#trying || this.#socket) return;
    this.#trying = true;
    void this.#try().finally(() => (this.#trying = false));
  }

  /** @returns whether it went out */
  send(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  #hurry(): void {
    if (this.#timer !== undefined) this.open();
  }

  async #try(): Promise<void> {
    const answer = await this.#access.ask();
    if (answer.type === 'refused') this.#listener.refused(answer.tried);
    else if (answer.type === 'welcome') this.#connect(answer.info);
    else {
      this.#listener.away();
      this.#later();
    }
  }

  #connect(info: ServerInfo): void {
    const socket = this.#access.openSocket();
    this.#socket = socket;
    let openedAt: number | undefined;
    const patience = setTimeout(() => socket.close(), PATIENCE);
    socket.addEventListener('open', () => {
      clearTimeout(patience);
      openedAt = performance.now();
      this.#listener.opened(info);
    });
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string' && this.#socket === socket) this.#listener.message(data);
    });
    socket.addEventListener('close', () => {
      clearTimeout(patience);
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (openedAt !== undefined && performance.now() - openedAt > STEADY) this.#attempts = 0;
      if (openedAt === undefined) this.#listener.away();
      else this.#listener.lost();
      this.#later();
    });
  }

  #later(): void {
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#attempts++);
    // Not all pages of a server that comes back at the same moment.
    this.#timer = setTimeout(() => this.open(), pause * (0.75 + Math.random() / 2));
  }
}
