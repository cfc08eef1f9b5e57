import { IconButton } from '../common/IconButton.tsx';
import { baseName } from '../common/shortPath.ts';
import type { Screen } from '../state.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';

const screens = [
  { screen: 'history', icon: 'history', label: 'webview.history' },
  { screen: 'mcp', icon: 'plug', label: 'webview.mcp' },
  { screen: 'settings', icon: 'gear', label: 'webview.settings' },
] as const satisfies readonly { screen: Screen; icon: string; label: string }[];

/** What an editor has in the title of its view: where one is, and the ways to the screens. */
export function Header(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const workspace = useAppState((state) => state.workspace);
  const current = useAppState((state) => state.screen);
  return (
    <header className="web-head" data-testid="web-head">
      <span className="web-title">
        <strong>{words('webview.lathe')}</strong>
        {workspace !== undefined && (
          <bdi className="quiet web-folder" title={workspace}>
            {baseName(workspace)}
          </bdi>
        )}
      </span>
      <nav className="web-ways" aria-label={words('web.ways')}>
        <IconButton
          icon="add"
          label={words('web.newTask')}
          testId="web-newTask"
          onClick={() => session.newTask()}
        />
        {screens.map(({ screen, icon, label }) => (
          <IconButton
            key={screen}
            icon={icon}
            label={words(label)}
            pressed={current === screen}
            testId={`web-${screen}`}
            onClick={() => session.show(current === screen ? 'chat' : screen)}
          />
        ))}
      </nav>
    </header>
  );
}
