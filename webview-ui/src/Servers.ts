import type { Session } from './Session.ts';
import type { Result, Transport } from './transport.ts';

export type ServerList = Result<'mcp/list'>;

/** The MCP servers: what there is of them, and what a person does with them. */
export class Servers {
  readonly #session: Session;
  #reading = false;
  #stale = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Reads the list; asked again while it reads, it reads once more. */
  async refresh(): Promise<void> {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#stale) {
        this.#stale = false;
        this.#session.store.set({ servers: await this.#session.transport.call('mcp/list', {}) });
      }
    } finally {
      this.#reading = false;
    }
  }

  consent(server: string, hash: string): void {
    this.#do(async (transport) => await transport.call('mcp/consent', { server, hash }));
  }

  revoke(server: string): void {
    this.#do(async (transport) => await transport.call('mcp/revoke', { server }));
  }

  restart(server: string): void {
    this.#do(async (transport) => await transport.call('mcp/restart', { server }));
  }

  signIn(server: string): void {
    this.#do(async (transport) => await transport.call('mcp/signIn', { server }));
  }

  signOut(server: string): void {
    this.#do(async (transport) => await transport.call('mcp/signOut', { server }));
  }

  setDisabled(server: string, disabled: boolean): void {
    this.#do(async (transport) => await transport.call('mcp/setDisabled', { server, disabled }));
  }

  setTool(server: string, tool: string, change: { enabled?: boolean; automatic?: boolean }): void {
    this.#do(async (transport) => await transport.call('mcp/setTool', { server, tool, ...change }));
  }

  remove(server: string): void {
    this.#do(async (transport) => await transport.call('mcp/remove', { server }));
  }

  /** @throws CallError when it was not written */
  async save(name: string, text: string, server: string | undefined): Promise<void> {
    await this.#session.transport.call('mcp/save', {
      name,
      text,
      ...(server === undefined ? {} : { server }),
    });
    await this.refresh();
  }

  #do(action: (transport: Transport) => Promise<unknown>): void {
    const { transport } = this.#session;
    this.#session.attempt(async () => {
      try {
        await action(transport);
      } finally {
        await this.refresh();
      }
    });
  }
}
