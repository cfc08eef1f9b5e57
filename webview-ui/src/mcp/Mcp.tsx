import { useState } from 'react';
import { Icon } from '../common/Icon.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useInEditor, useSession, useWords } from '../useSession.ts';
import { Server } from './Server.tsx';
import { ServerForm } from './ServerForm.tsx';

/** The MCP servers: what runs, what waits for a yes, what each offers. */
export function Mcp(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const inEditor = useInEditor();
  const list = useAppState((state) => state.servers);
  const [editing, setEditing] = useState<{ server: string | undefined }>();
  if (editing) {
    return (
      <main className="screen" data-testid="mcp">
        <ScreenHead
          title={
            editing.server === undefined
              ? words('webview.mcp.add')
              : words('webview.mcp.edit', { server: editing.server })
          }
          onBack={() => setEditing(undefined)}
        />
        <ServerForm server={editing.server} onClose={() => setEditing(undefined)} />
      </main>
    );
  }
  return (
    <main className="screen" data-testid="mcp">
      <ScreenHead title={words('webview.mcp')} />
      {list === undefined && (
        <p className="quiet">
          <Icon name="loading" spin /> {words('webview.opening')}
        </p>
      )}
      {list?.servers.length === 0 && <p className="quiet">{words('webview.mcp.none')}</p>}
      {list?.problems.map(({ path, problem }) => (
        <p key={`${path} ${JSON.stringify(problem)}`} className="server-problem" role="alert">
          <Icon name="warning" /> <bdi>{path}</bdi>: {words.of(problem)}
        </p>
      ))}
      <ul className="list servers">
        {list?.servers.map((server) => (
          <Server key={server.id} server={server} onEdit={() => setEditing({ server: server.name })} />
        ))}
      </ul>
      <p className="links">
        <button
          type="button"
          className="button secondary"
          data-testid="mcp-add"
          onClick={() => setEditing({ server: undefined })}
        >
          <Icon name="add" />
          {words('webview.mcp.add')}
        </button>
        {inEditor && list !== undefined && list.userFile !== '' && (
          <button
            type="button"
            className="link"
            onClick={() =>
              session.attempt(() => session.transport.call('editor/openFile', { path: list.userFile }))
            }
          >
            {words('webview.mcp.openFile')}
          </button>
        )}
      </p>
    </main>
  );
}
