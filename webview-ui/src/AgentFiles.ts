import type { RuleRow, Scope } from '../../src/shared/customModes.ts';
import type { ModeConfig } from '../../src/shared/modes.ts';
import { message, translate } from '../../src/shared/strings.ts';
import type { Session } from './Session.ts';

/** What people write for agents in files: modes, slash commands and rules. */
export class AgentFiles {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** What the composer offers; and, while it is shown, what the screen shows. @throws CallError */
  async refresh(): Promise<void> {
    const { store, transport } = this.#session;
    const [modes, { commands, problems }] = await Promise.all([
      transport.call('mode/list', {}),
      transport.call('command/list', {}),
    ]);
    store.set({ modes, commands, commandProblems: problems });
    if (store.state.screen === 'modes') await this.refreshScreen();
  }

  /** The workspace is trusted now: its files count, and services may be looked for. */
  trust(trusted: boolean): void {
    this.#session.store.set({ trusted });
    if (!trusted) return;
    this.#session.attempt(() => this.#session.models.findServices());
    this.#session.attempt(() => this.refresh());
  }

  /** @throws CallError */
  async refreshScreen(): Promise<void> {
    const { store, transport } = this.#session;
    const [modeOverview, ruleRows] = await Promise.all([
      transport.call('mode/overview', {}),
      transport.call('rule/list', {}),
    ]);
    store.set({ modeOverview, ruleRows });
  }

  /** @throws CallError: what was written stays in the form */
  async save(scope: Scope, mode: ModeConfig, replaces: string | undefined): Promise<void> {
    await this.#session.transport.call('mode/save', {
      ...{ scope, mode },
      ...(replaces === undefined ? {} : { replaces }),
    });
    await this.refresh();
  }

  delete(scope: Scope, slug: string): void {
    this.#session.attempt(async () => {
      await this.#session.transport.call('mode/delete', { scope, slug });
      await this.refresh();
    });
  }

  consent(slug: string, hash: string, agreed: boolean): void {
    this.#session.attempt(async () => {
      await this.#session.transport.call('mode/consent', { slug, hash, agreed });
      await this.refresh();
    });
  }

  /** Asks where to, then writes the mode there. */
  export(slug: string): void {
    const { transport } = this.#session;
    this.#session.attempt(async () => {
      const { name, text } = await transport.call('mode/export', { slug });
      await transport.call('editor/saveText', { name: name.slice(-120), text });
    });
  }

  /** What of the file is a mode is taken; what is not is told. */
  import(scope: Scope, file: File): void {
    const { store, transport } = this.#session;
    this.#session.attempt(async () => {
      const { slugs, problems } = await transport.call('mode/import', { scope, text: await file.text() });
      await this.refresh();
      const [first] = problems;
      if (first)
        store.set({
          error: message('webview.modes.importProblem', {
            count: slugs.length,
            line: first.line ?? 1,
            problem: translate(store.state.locale, first.problem),
          }),
        });
      else store.set({ imported: slugs });
    });
  }

  setRule({ path }: RuleRow, on: boolean): void {
    this.#session.attempt(async () => {
      await this.#session.transport.call('rule/set', { path, on });
      await this.refreshScreen();
    });
  }
}
