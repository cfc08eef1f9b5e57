import { shownCommand } from '../../../src/shared/commandLine.ts';
import type { McpConsent } from '../../../src/shared/mcp.ts';
import { useArmed } from '../approvals/useArmed.ts';
import { Icon } from '../common/Icon.tsx';
import { useSession, useWords } from '../useSession.ts';

/** What a person says yes to: what would run or be reached, whole, and which tools are not what they were. */
export function Consent({ consent }: { consent: McpConsent }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const armed = useArmed(consent.hash);
  const { server, target, source, changedTools, changedWords = [] } = consent;
  return (
    <section className="consent" aria-label={words('webview.mcp.consent', { server })} data-testid="consent">
      <p>
        <Icon name="shield" />{' '}
        {changedTools.length > 0
          ? words('webview.mcp.toolsChanged', { names: changedTools.join(', ') })
          : words(target.type === 'command' ? 'webview.mcp.wantsToRun' : 'webview.mcp.wantsToReach')}
      </p>
      {changedWords.length > 0 && (
        <dl className="facts" data-testid="consent-changes">
          {changedWords.map(({ tool, description, inputs }) => (
            <Fact key={tool} name={tool}>
              {description === '' ? words('webview.mcp.noWords') : description}
              {inputs.length > 0 && (
                <span className="quiet">
                  {' '}
                  ({words('webview.mcp.arguments')}: {inputs.join(', ')})
                </span>
              )}
            </Fact>
          ))}
        </dl>
      )}
      <dl className="facts">
        {target.type === 'command' ? (
          <>
            <Fact name={words('webview.mcp.command')}>
              <code dir="ltr" data-testid="consent-command">
                {shownCommand(target.command, target.args)}
              </code>
            </Fact>
            <Fact name={words('webview.mcp.folder')}>
              <bdi>{target.cwd}</bdi>
            </Fact>
            <Fact name={words('webview.mcp.variables')}>
              {target.environment.length === 0
                ? words('webview.mcp.noneGiven')
                : target.environment.join(', ')}
            </Fact>
          </>
        ) : (
          <>
            <Fact name={words('webview.mcp.address')}>
              <code dir="ltr" data-testid="consent-command">
                {target.url}
              </code>
            </Fact>
            <Fact name={words('webview.mcp.headers')}>
              {target.headers.length === 0 ? words('webview.mcp.noneGiven') : target.headers.join(', ')}
            </Fact>
          </>
        )}
        <Fact name={words('webview.mcp.file')}>
          <bdi>{source.path}</bdi>
        </Fact>
      </dl>
      <p className="actions">
        <button
          type="button"
          className="button"
          disabled={!armed}
          data-testid="consent-yes"
          onClick={() => session.servers.consent(server, consent.hash)}
        >
          {words('webview.mcp.allow')}
        </button>
        <button
          type="button"
          className="button secondary"
          onClick={() => session.servers.setDisabled(server, true)}
        >
          {words('webview.mcp.disable')}
        </button>
      </p>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }): React.JSX.Element {
  return (
    <div>
      <dt className="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
