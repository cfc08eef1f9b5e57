import { useInEditor, useSession } from '../useSession.ts';

/** Leads to a file where there is an editor to show it; elsewhere it only says what it says. */
export function FileOpener({
  path,
  line,
  className,
  opens = '',
  label,
  title,
  testId,
  role,
  children,
}: {
  path: string;
  line?: number | undefined;
  className?: string;
  /** Classes that say that a click leads somewhere. */
  opens?: string;
  /** Its name for a screen reader, where its words do not say what a click does. */
  label?: string;
  title?: string;
  testId?: string;
  role?: 'link';
  children: React.ReactNode;
}): React.JSX.Element {
  const session = useSession();
  const inEditor = useInEditor();
  if (!inEditor)
    return (
      <span className={className} title={title} data-testid={testId}>
        {children}
      </span>
    );
  return (
    <button
      type="button"
      role={role}
      className={[className, opens].filter(Boolean).join(' ')}
      aria-label={label}
      title={title}
      data-testid={testId}
      onClick={() => session.openPath(path, line)}
    >
      {children}
    </button>
  );
}
