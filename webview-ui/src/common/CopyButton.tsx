import { useEffect, useState } from 'react';
import { useClipboard, useSession, useWords } from '../useSession.ts';
import { IconButton } from './IconButton.tsx';

/** Milliseconds for which the button says that it did. */
const SHOWN = 1500;

export function CopyButton({ text }: { text: () => string }): React.JSX.Element | null {
  const words = useWords();
  const session = useSession();
  const hasClipboard = useClipboard();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!hasClipboard) return null;
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={words(copied ? 'webview.copied' : 'webview.copy')}
      className="copy"
      onClick={() =>
        session.attempt(async () => {
          await navigator.clipboard.writeText(text());
          setCopied(true);
        })
      }
    />
  );
}
