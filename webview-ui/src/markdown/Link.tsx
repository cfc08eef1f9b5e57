import { FileOpener } from '../common/FileOpener.tsx';
import { Icon } from '../common/Icon.tsx';
import { useSession } from '../useSession.ts';
import { linkTarget, pathInCode, type LinkTarget } from './linkTarget.ts';

/** Never an `href`: a link acts only through the editor, which opens pages and files and nothing else. */
export function Link({
  href,
  icon,
  children,
}: {
  href: string;
  icon?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  return (
    <Opener target={linkTarget(href)} title={href}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </Opener>
  );
}

/** Inline code; a path in it opens. */
export function PathCode({ code }: { code: string }): React.JSX.Element {
  return (
    <Opener target={pathInCode(code)} title={code}>
      <code>{code}</code>
    </Opener>
  );
}

function Opener({
  target,
  title,
  children,
}: {
  target: LinkTarget;
  title: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const session = useSession();
  if (target.type === 'none') return <span>{children}</span>;
  if (target.type === 'file')
    return (
      <FileOpener path={target.path} line={target.line} role="link" opens="link" title={title}>
        {children}
      </FileOpener>
    );
  return (
    <button
      type="button"
      role="link"
      className="link"
      title={title}
      onClick={() => session.openExternal(target.url)}
    >
      {children}
    </button>
  );
}
