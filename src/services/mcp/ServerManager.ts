import type { McpConfigProblem, McpConsent, McpLogLine, McpSource } from '../../shared/mcp.ts';
import type { McpHub } from './McpHub.ts';
import type { ServerEntries } from './ServerEntries.ts';

/** Servers as a person looks after them: what a screen shows of them, and changes. Core's McpManager. */
export class ServerManager {
  readonly #hub: McpHub;
  readonly #entries: ServerEntries;

  constructor(hub: McpHub, entries: ServerEntries) {
    this.#hub = hub;
    this.#entries = entries;
  }

  get userFile(): string {
    return this.#hub.userFile;
  }

  problems(): readonly McpConfigProblem[] {
    return this.#hub.problems;
  }

  logs(server: string): McpLogLine[] {
    return this.#hub.logs(server);
  }

  onChanged(listener: () => void): () => void {
    return this.#hub.onChanged(listener);
  }

  async consent(consent: Pick<McpConsent, 'server' | 'hash'>): Promise<boolean> {
    return await this.#hub.consent(consent);
  }

  async revoke(server: string): Promise<void> {
    await this.#hub.revoke(server);
  }

  async restart(server: string): Promise<void> {
    await this.#hub.restart(server);
  }

  async signIn(server: string, signal: AbortSignal): Promise<void> {
    await this.#hub.signIn(server, signal);
  }

  async signOut(server: string): Promise<void> {
    await this.#hub.signOut(server);
  }

  async entry(server: string): Promise<{ source: McpSource; text: string }> {
    return await this.#entries.text(server);
  }

  async save(name: string, text: string, server?: string): Promise<void> {
    await this.#entries.save(name, text, server);
    await this.#hub.reload();
  }

  async remove(server: string): Promise<void> {
    await this.#entries.remove(server);
    await this.#hub.reload();
  }

  async setDisabled(server: string, disabled: boolean): Promise<void> {
    await this.#entries.setDisabled(server, disabled);
    await this.#hub.reload();
  }

  async setTool(...change: Parameters<ServerEntries['setTool']>): Promise<void> {
    await this.#entries.setTool(...change);
    await this.#hub.reload();
  }
}
