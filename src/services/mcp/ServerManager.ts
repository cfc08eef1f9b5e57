import type { McpConfigProblem, McpConsent, McpLogLine, McpSource } from '../../shared/mcp.ts';
import { message } from '../../shared/strings.ts';
import { McpEntryError } from './McpEntryError.ts';
import type { McpHub } from './McpHub.ts';
import { shownTarget } from './serverRow.ts';
import type { ServerEntries } from './ServerEntries.ts';

/** What a person is asked outside of the screen: what would run or be reached, and from which file. */
export type McpConfirmation = Omit<McpConsent, 'hash'>;
export type Confirm = (what: McpConfirmation) => Promise<boolean>;

/** Servers as a person looks after them: what a screen shows of them, and changes. Core's McpManager. */
export class ServerManager {
  readonly #hub: McpHub;
  readonly #entries: ServerEntries;
  readonly #confirm: Confirm;

  /** `confirm` asks where no page can answer: a screen that somebody else has taken over starts nothing. */
  constructor(hub: McpHub, entries: ServerEntries, confirm: Confirm) {
    this.#hub = hub;
    this.#entries = entries;
    this.#confirm = confirm;
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
    const { server, hash } = consent;
    const asked = this.#hub.servers().find(({ id, name }) => id === server || name === server)?.consent;
    if (asked?.hash !== hash || !(await this.#confirm(asked))) return false;
    // What is there by now may be something else: then nothing is granted.
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
    await this.#entries.save(name, text, server, async (config) => {
      const { source, target } = config;
      const what = { server: config.name, source, target: shownTarget(target), changedTools: [] };
      if (!(await this.#confirm(what))) throw new McpEntryError(message('mcp.entry.notConfirmed'));
    });
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
