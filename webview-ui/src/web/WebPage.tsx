import type { Root } from 'react-dom/client';
import { localeOf, message, translate, type StringKey } from '../../../src/shared/strings.ts';
import { App } from '../App.tsx';
import { Icon } from '../common/Icon.tsx';
import { Session } from '../Session.ts';
import { SessionContext } from '../useSession.ts';
import { PageMemory } from './PageMemory.ts';
import { ServerAccess, type ServerInfo } from './ServerAccess.ts';
import { ServerLink } from './ServerLink.ts';
import { TokenForm } from './TokenForm.tsx';
import { watchKeys } from './watchKeys.ts';
import { WebApi } from './WebApi.ts';

/** The web chat: the line to the server, the form for its token, and the sidebar over it. */
export class WebPage {
  readonly #root: Root;
  readonly #access = new ServerAccess();
  readonly #link: ServerLink;
  /** What the server made of the reader's wishes. */
  readonly #locale = localeOf(document.documentElement.lang);
  #chat: { workspace: string; api: WebApi; session: Session } | undefined;

  constructor(root: Root) {
    this.#root = root;
    this.#link = new ServerLink(this.#access, {
      opened: (info) => this.#opened(info),
      lost: () => {
        this.#chat?.session.disconnected();
        this.#chat?.api.lost();
      },
      away: () => {
        if (!this.#chat) this.#wait('web.disconnected');
      },
      refused: (tried) => this.#askForToken(tried),
      message: (text) => this.#chat?.api.receive(text),
    });
  }

  start(): void {
    this.#wait('webview.connecting');
    this.#link.open();
  }

  #opened({ workspace }: ServerInfo): void {
    const known = this.#chat;
    // Another server is at this address now: nothing that is here is of it.
    if (known && known.workspace !== workspace) {
      location.reload();
      return;
    }
    const chat = (this.#chat ??= this.#begin(workspace));
    const { session } = chat;
    this.#root.render(
      <SessionContext value={session}>
        <App />
      </SessionContext>,
    );
    session.attempt(() => session.connected());
  }

  #begin(workspace: string): { workspace: string; api: WebApi; session: Session } {
    const api = new WebApi({
      memory: new PageMemory(workspace),
      send: (text) => this.#link.send(text),
    });
    const session = new Session(api, () => this.#link.open());
    watchKeys(session);
    document.title = `${/[^\\/]*$/.exec(workspace)?.[0] ?? ''} – Lathe`;
    return { workspace, api, session };
  }

  /** Before there is a chat to show. */
  #wait(words: StringKey): void {
    this.#root.render(
      <div className="app" data-testid="app" data-phase="connecting">
        <main className="loading quiet">
          <p role="status">
            <Icon name="loading" spin /> {translate(this.#locale, message(words))}
          </p>
        </main>
      </div>,
    );
  }

  #askForToken(tried: boolean): void {
    this.#root.render(
      <TokenForm
        locale={this.#locale}
        wrong={tried}
        // A form for each attempt: the next one says what became of the last.
        key={performance.now()}
        onToken={(token) => {
          this.#access.setToken(token);
          this.#link.open();
        }}
      />,
    );
  }
}
