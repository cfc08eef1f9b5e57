import type { ToolDetails } from '../../../src/shared/tools.ts';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { ArgumentList } from '../common/ArgumentList.tsx';
import { FileOpener } from '../common/FileOpener.tsx';
import { Icon } from '../common/Icon.tsx';
import { linkTarget } from '../markdown/linkTarget.ts';
import { useSession, useWords } from '../useSession.ts';
import { PlainBody } from './PlainBody.tsx';

type Details = Extract<ToolDetails, { type: 'mcp' }>;
type Part = Details['parts'][number];

const icons: Record<Part['kind'], string> = {
  image: 'file-media',
  audio: 'unmute',
  link: 'link',
  resource: 'file',
  text: 'output',
};

/** What a server was asked, what it said, and what came with that. */
export function McpBody({ item, details }: { item: ToolItem; details: Details }): React.JSX.Element {
  const words = useWords();
  return (
    <>
      {details.arguments !== undefined && (
        <ArgumentList json={details.arguments} label={words('webview.mcp.arguments')} />
      )}
      {item.result.length > 0 && <PlainBody item={item} withArguments={false} />}
      {details.parts.map(
        ({ kind, mediaType = 'image/png', data }, index) =>
          kind === 'image' &&
          data !== undefined && (
            <img
              key={index}
              className="result-image"
              src={`data:${mediaType};base64,${data}`}
              alt={words('webview.picture', { number: index + 1 })}
            />
          ),
      )}
      {details.parts.length > 0 && (
        <ul className="parts-kept" aria-label={words('approval.mcp.parts')} data-testid="mcp-parts">
          {details.parts.map((part, index) => (
            <li key={index}>
              <Icon name={icons[part.kind]} /> <PartName part={part} />{' '}
              {part.mediaType !== undefined && <span className="quiet">{part.mediaType}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Leads to what was kept of it on the disk, or to the page that it names; else it is only a name. */
function PartName({ part: { kind, label, path } }: { part: Part }): React.JSX.Element {
  const session = useSession();
  const page = kind === 'link' ? linkTarget(label) : undefined;
  if (path !== undefined)
    return (
      <FileOpener path={path} opens="link">
        <bdi>{label}</bdi>
      </FileOpener>
    );
  if (page?.type !== 'external') return <bdi>{label}</bdi>;
  return (
    <button type="button" className="link" onClick={() => session.openExternal(page.url)}>
      <bdi>{label}</bdi>
    </button>
  );
}
