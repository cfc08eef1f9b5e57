import { useSession, useWords } from '../useSession.ts';
import { IconButton } from './IconButton.tsx';

/** The first line of a screen: the way back, and where one is. */
export function ScreenHead({ title }: { title: string }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  return (
    <header className="screen-head">
      <IconButton
        icon="arrow-left"
        label={words('webview.back')}
        testId="back"
        onClick={() => session.show('chat')}
      />
      <h1>{title}</h1>
    </header>
  );
}
