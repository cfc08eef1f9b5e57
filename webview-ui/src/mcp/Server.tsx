import { useId, useState } from 'react';
import type { McpServerRow } from '../../../src/shared/mcp.ts';
import { Icon } from '../common/Icon.tsx';
import { Menu, type MenuItem } from '../common/Menu.tsx';
import { useSession, useWords, type Words } from '../useSession.ts';
import { Consent } from './Consent.tsx';
import { OwnIcon } from './OwnIcon.tsx';
import { ServerLog } from './ServerLog.tsx';
import { ServerTools } from './ServerTools.tsx';
import { stateIcons, stateWords } from './serverState.ts';

/** One server: its state in a line; opened, what it offers and what can be done with it. */
export function Server({ server, onEdit }: { server: McpServerRow; onEdit: () => void }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [showsLog, setShowsLog] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { state, name, consent } = server;
  const act = (action: string): void => {
    if (action === 'restart') session.servers.restart(name);
    else if (action === 'log') setShowsLog(!showsLog);
    else if (action === 'edit') onEdit();
    else if (action === 'remove') setRemoving(true);
    else if (action === 'revoke') session.servers.revoke(name);
    else if (action === 'signIn') session.servers.signIn(name);
    else if (action === 'signOut') session.servers.signOut(name);
    else session.servers.setDisabled(name, action === 'disable');
    if (action === 'log') setOpen(true);
  };
  return (
    <li className="server" data-testid="server" data-server={name} data-state={state.type}>
      <div className="list-entry">
        <button
          type="button"
          className="list-main"
          aria-expanded={open}
          aria-controls={id}
          data-testid="server-open"
          onClick={() => setOpen(!open)}
        >
          <span className="list-title">
            <Icon name={open ? 'chevron-down' : 'chevron-right'} />{' '}
            <OwnIcon address={server.implementation?.icon} /> <bdi>{name}</bdi>
          </span>
          <span className="quiet list-facts">
            <span>
              <Icon name={stateIcons[state.type]} spin={state.type === 'connecting'} />{' '}
              {stateWords(words, state)}
            </span>
            {server.source.kind === 'project' && <span>{words('webview.mcp.ofProject')}</span>}
            {state.type === 'ready' && (
              <span>{words('webview.mcp.toolCount', { count: server.tools.length })}</span>
            )}
          </span>
        </button>
        <Menu
          label={words('webview.mcp.actions', { server: name })}
          items={actionsOf(words, server)}
          onPick={act}
          testId="server-actions"
          align="end"
          below
        >
          <Icon name="ellipsis" />
        </Menu>
      </div>
      {consent && <Consent consent={consent} />}
      {removing && (
        <p className="server-part">
          {words('webview.mcp.removeAsk', { server: name })}{' '}
          <span className="confirm">
            <button type="button" className="button" autoFocus onClick={() => session.servers.remove(name)}>
              {words('webview.mcp.remove')}
            </button>
            <button type="button" className="button secondary" onClick={() => setRemoving(false)}>
              {words('webview.keep')}
            </button>
          </span>
        </p>
      )}
      <div id={id} hidden={!open} className="server-body">
        {open && <Offers server={server} />}
        {open && showsLog && <ServerLog server={name} />}
      </div>
    </li>
  );
}

function Offers({ server }: { server: McpServerRow }): React.JSX.Element {
  const words = useWords();
  const { resources, resourceTemplates, prompts, implementation, instructions } = server;
  return (
    <>
      {server.problems.map((problem) => (
        <p key={JSON.stringify(problem)} className="server-problem">
          <Icon name="warning" /> {words.of(problem)}
        </p>
      ))}
      {implementation && (
        <p className="quiet">
          {implementation.title ?? implementation.name} {implementation.version} · {server.transport}
          {server.protocolVersion !== undefined && ` · MCP ${server.protocolVersion}`}
        </p>
      )}
      {instructions !== undefined && <p className="quiet server-words">{instructions}</p>}
      <ServerTools server={server} />
      <Names
        title={words('webview.mcp.resources')}
        rows={[
          ...resources.map(({ uri, name, title, description }) => ({
            name: title ?? name,
            what: description ?? uri,
          })),
          ...resourceTemplates.map(({ uriTemplate, name, title, description }) => ({
            name: title ?? name,
            what: description ?? uriTemplate,
          })),
        ]}
      />
      <Names
        title={words('webview.mcp.prompts')}
        rows={prompts.map(({ name, title, description }) => ({ name: title ?? name, what: description }))}
      />
    </>
  );
}

function Names({
  title,
  rows,
}: {
  title: string;
  rows: readonly { name: string; what: string | undefined }[];
}): React.JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="quiet">{rows.length}</span>
      </h2>
      <ul>
        {rows.map(({ name, what }, index) => (
          <li key={`${name} ${index}`} className="server-words">
            <bdi>{name}</bdi> {what !== undefined && <span className="quiet">{what}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function actionsOf(words: Words, { state, source, transport }: McpServerRow): MenuItem[] {
  const item = (id: string, label: string, icon: string): MenuItem => ({ id, label, icon });
  const runs = !['disabled', 'untrusted', 'needs_consent'].includes(state.type);
  return [
    ...(runs ? [item('restart', words('webview.mcp.restart'), 'debug-restart')] : []),
    ...(runs ? [item('log', words('webview.mcp.log'), 'output')] : []),
    ...(state.type === 'needs_sign_in' ? [item('signIn', words('webview.mcp.signIn'), 'key')] : []),
    ...(state.type === 'ready' && transport !== 'stdio'
      ? [item('signOut', words('webview.mcp.signOut'), 'sign-out')]
      : []),
    ...(source.kind === 'project' && runs ? [item('revoke', words('webview.mcp.revoke'), 'discard')] : []),
    ...(source.kind === 'client'
      ? []
      : [
          state.type === 'disabled'
            ? item('enable', words('webview.mcp.enable'), 'circle-large')
            : item('disable', words('webview.mcp.disable'), 'circle-slash'),
          item('edit', words('webview.mcp.change'), 'edit'),
          item('remove', words('webview.mcp.remove'), 'trash'),
        ]),
  ];
}
