import type { McpServerRow } from '../../../src/shared/mcp.ts';
import { useSession, useWords } from '../useSession.ts';
import { OwnIcon } from './OwnIcon.tsx';

/** What a server can do: each tool with its switch, and, for the person's own servers, whether its calls ask. */
export function ServerTools({ server }: { server: McpServerRow }): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  if (server.tools.length === 0) return null;
  const canChange = server.source.kind !== 'client';
  return (
    <section aria-label={words('webview.mcp.tools')}>
      <h2>
        {words('webview.mcp.tools')} <span className="quiet">{server.tools.length}</span>
      </h2>
      <ul>
        {server.tools.map((tool) => (
          <li key={tool.id} className="server-tool" data-testid="server-tool" data-tool={tool.name}>
            <span className="server-words">
              <OwnIcon address={tool.icon} /> <bdi>{tool.title ?? tool.name}</bdi>{' '}
              {tool.changed && <span className="badge">{words('webview.mcp.changed')}</span>}
              <span className="quiet server-tool-what">{tool.description}</span>
            </span>
            {canChange && (
              <span className="server-tool-checks">
                <label className="check">
                  <input
                    type="checkbox"
                    checked={tool.enabled}
                    data-testid="tool-enabled"
                    onChange={({ target }) =>
                      session.servers.setTool(server.name, tool.name, { enabled: target.checked })
                    }
                  />
                  <span>{words('webview.mcp.toolOn')}</span>
                </label>
                {server.source.kind === 'user' && (
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={tool.automatic}
                      disabled={tool.changed}
                      data-testid="tool-automatic"
                      onChange={({ target }) =>
                        session.servers.setTool(server.name, tool.name, { automatic: target.checked })
                      }
                    />
                    <span>{words('webview.mcp.toolAutomatic')}</span>
                  </label>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
