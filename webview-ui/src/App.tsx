import { About } from './about/About.tsx';
import { Chat } from './chat/Chat.tsx';
import { RestoreScreen } from './checkpoints/RestoreScreen.tsx';
import { Announcer } from './common/Announcer.tsx';
import { Icon } from './common/Icon.tsx';
import { IconButton } from './common/IconButton.tsx';
import { History } from './history/History.tsx';
import { Mcp } from './mcp/Mcp.tsx';
import { Modes } from './modes/Modes.tsx';
import { Settings } from './settings/Settings.tsx';
import { useAppState, useSession, useWords } from './useSession.ts';
import { ConnectionNotice } from './web/ConnectionNotice.tsx';
import { Header } from './web/Header.tsx';

export function App(): React.JSX.Element {
  const phase = useAppState((state) => state.phase);
  const locale = useAppState((state) => state.locale);
  const surface = useAppState((state) => state.surface);
  return (
    <div className="app" lang={locale === 'zh-cn' ? 'zh-Hans' : 'en'} data-testid="app" data-phase={phase}>
      <Announcer />
      {surface === 'browser' && <Header />}
      <ConnectionNotice />
      <ErrorBanner />
      {phase === 'connecting' ? <Connecting /> : <CurrentScreen />}
    </div>
  );
}

function CurrentScreen(): React.JSX.Element {
  const screen = useAppState((state) => state.screen);
  switch (screen) {
    case 'chat':
      return <Chat />;
    case 'history':
      return <History />;
    case 'settings':
      return <Settings />;
    case 'mcp':
      return <Mcp />;
    case 'about':
      return <About />;
    case 'modes':
      return <Modes />;
    case 'restore':
      return <RestoreScreen />;
  }
}

function Connecting(): React.JSX.Element {
  const words = useWords();
  return (
    <main className="loading quiet">
      <Icon name="loading" spin /> {words('webview.connecting')}
    </main>
  );
}

/** What went wrong last; stays until it is dismissed or something else is opened. */
function ErrorBanner(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const error = useAppState((state) => state.error);
  if (!error) return null;
  return (
    <div className="banner banner-error" role="alert" data-testid="error">
      <Icon name="error" />
      <span>{words.of(error)}</span>
      <IconButton
        icon="close"
        label={words('webview.dismiss')}
        onClick={() => session.store.set({ error: undefined })}
      />
    </div>
  );
}
