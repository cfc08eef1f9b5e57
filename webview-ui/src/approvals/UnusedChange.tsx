import { CopyButton } from '../common/CopyButton.tsx';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** What the person made of a proposal and what did not land: theirs until they have seen it. */
export function UnusedChange(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const unused = useAppState((state) => state.unused);
  if (!unused) return null;
  return (
    <section
      className="unused"
      aria-label={words('changes.text', { path: unused.path })}
      data-testid="unused-change"
    >
      <p role="status">
        <Icon name="info" /> <span>{words('changes.unused', { path: unused.path })}</span>
      </p>
      <details>
        <summary className="link">{words('changes.unusedText')}</summary>
        <pre className="output" tabIndex={0} aria-label={unused.path} dir="ltr">
          {unused.text}
        </pre>
      </details>
      <CopyButton text={() => unused.text} />
      <IconButton
        icon="close"
        label={words('webview.dismiss')}
        testId="dismiss-unused"
        onClick={() => session.answers.changes.dismissUnused()}
      />
    </section>
  );
}
