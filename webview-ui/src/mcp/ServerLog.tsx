import { useEffect, useState } from 'react';
import type { McpLogLine } from '../../../src/shared/mcp.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** What a server printed and logged last, and what we did with it. Read again whenever anything of the servers changes. */
export function ServerLog({ server }: { server: string }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const list = useAppState((state) => state.servers);
  const [lines, setLines] = useState<readonly McpLogLine[]>([]);
  useEffect(() => {
    let over = false;
    session.attempt(async () => {
      const read = await session.transport.call('mcp/logs', { server });
      if (!over) setLines(read);
    });
    return () => {
      over = true;
    };
  }, [session, server, list]);
  return (
    <section aria-label={words('webview.mcp.log')}>
      <h2>{words('webview.mcp.log')}</h2>
      {lines.length === 0 ? (
        <p className="quiet">{words('webview.mcp.noLog')}</p>
      ) : (
        <pre className="server-log mono" tabIndex={0} data-testid="server-log">
          {lines
            .map(({ at, from, text }) => `${new Date(at).toLocaleTimeString()} ${from}: ${text}`)
            .join('\n')}
        </pre>
      )}
    </section>
  );
}
