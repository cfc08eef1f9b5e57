import { useEffect, useRef } from 'react';
import { useSession, useWords } from '../useSession.ts';
import { IconButton } from './IconButton.tsx';

/** The first line of a screen: the way back (to the conversation unless said), and where one is. */
export function ScreenHead({ title, onBack }: { title: string; onBack?: () => void }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button that led here is gone: the keyboard goes on from the screen's first line. Never from an editor.
    if (document.hasFocus() && document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <header className="screen-head">
      <IconButton
        icon="arrow-left"
        label={words('webview.back')}
        testId="back"
        onClick={onBack ?? (() => session.show('chat'))}
      />
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
    </header>
  );
}
