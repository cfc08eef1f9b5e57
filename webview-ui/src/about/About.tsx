import { useEffect, useState } from 'react';
import type { StringKey } from '../../../src/shared/strings.ts';
import { Icon } from '../common/Icon.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import type { Result } from '../transport.ts';
import { useAppState, useClipboard, useInEditor, useSession, useWords } from '../useSession.ts';

type Facts = Result<'editor/about'>;

const texts = [
  ['readme', 'webview.about.readme'],
  ['walkthrough', 'webview.about.walkthrough'],
  ['changelog', 'webview.about.changelog'],
  ['license', 'webview.about.licenseText'],
  ['notices', 'webview.about.notices'],
] as const satisfies readonly (readonly [string, StringKey])[];

/** Milliseconds for which a button says that it copied. */
const SAID = 1500;

/** The program itself: which version, under which licence, where its data is, and what a report of a bug needs. */
export function About(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const facts = useFacts();
  const inEditor = useInEditor();
  const cameFrom = useAppState((state) => state.cameFrom);
  const back = (): void => session.show(cameFrom === 'settings' ? 'settings' : 'chat');
  return (
    <main className="screen" data-testid="about">
      <ScreenHead title={words('webview.about')} onBack={back} />
      <p>{words(inEditor ? 'webview.about.text' : 'web.about.text')}</p>
      {facts === undefined ? (
        <p className="quiet">
          <Icon name="loading" spin /> {words('webview.opening')}
        </p>
      ) : (
        <FactList facts={facts} />
      )}
      <section aria-label={words('webview.about.data')}>
        <h2>{words('webview.about.data')}</h2>
        <p className="quiet">{words(inEditor ? 'webview.about.dataText' : 'web.about.data')}</p>
        {facts && (
          <p className="mono" dir="ltr" data-testid="about-data">
            {facts.data}
          </p>
        )}
        {inEditor && (
          <div className="actions">
            <ShowButton what="data" words="webview.about.openData" />
          </div>
        )}
      </section>
      {inEditor && (
        <section aria-label={words('webview.about.read')}>
          <h2>{words('webview.about.read')}</h2>
          <ul className="link-list">
            {texts.map(([what, label]) => (
              <li key={what}>
                <button
                  type="button"
                  className="link"
                  data-testid={`show-${what}`}
                  onClick={() => session.attempt(() => session.transport.call('editor/show', { what }))}
                >
                  {words(label)}
                </button>
              </li>
            ))}
            {facts?.links.source !== undefined && (
              <li>
                <Outside url={facts.links.source} words="webview.about.source" />
              </li>
            )}
          </ul>
        </section>
      )}
      <section aria-label={words('webview.about.report')}>
        <h2>{words('webview.about.report')}</h2>
        <p className="quiet">{words('webview.about.reportText')}</p>
        <div className="actions">
          <CopyDetails facts={facts} />
          {inEditor && <ShowButton what="log" words="webview.about.showLog" />}
          {facts?.links.issues !== undefined && (
            <Outside url={facts.links.issues} words="webview.about.openIssues" />
          )}
        </div>
      </section>
    </main>
  );
}

function useFacts(): Facts | undefined {
  const session = useSession();
  const [facts, setFacts] = useState<Facts>();
  useEffect(() => {
    let gone = false;
    session.attempt(async () => {
      const found = await session.transport.call('editor/about', {});
      if (!gone) setFacts(found);
    });
    return () => {
      gone = true;
    };
  }, [session]);
  return facts;
}

function FactList({ facts }: { facts: Facts }): React.JSX.Element {
  const words = useWords();
  const inEditor = useInEditor();
  const rows = [
    ['webview.about.version', facts.version],
    ['webview.about.license', facts.license],
    [inEditor ? 'webview.about.editor' : 'web.about.browser', facts.editor],
    ['webview.about.system', facts.platform],
  ] as const satisfies readonly (readonly [StringKey, string])[];
  return (
    <dl className="facts" data-testid="facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt className="quiet">{words(label)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ShowButton({ what, words: label }: { what: 'data' | 'log'; words: StringKey }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  return (
    <button
      type="button"
      className="button secondary"
      data-testid={`show-${what}`}
      onClick={() => session.attempt(() => session.transport.call('editor/show', { what }))}
    >
      {words(label)}
    </button>
  );
}

function Outside({ url, words: label }: { url: string; words: StringKey }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  return (
    <button type="button" className="link" title={url} onClick={() => session.openExternal(url)}>
      {words(label)}
    </button>
  );
}

/** Puts on the clipboard what a report begins with: no path, no name, no word of any task. */
function CopyDetails({ facts }: { facts: Facts | undefined }): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const provider = useAppState((state) => state.profiles.find(({ name }) => name === state.activeProfile));
  const hasClipboard = useClipboard();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    if (!facts) return;
    const lines = [
      `Lathe ${facts.version}`,
      facts.editor,
      facts.platform,
      ...(provider ? [`${provider.provider}, ${provider.model}, ${provider.protocol}`] : []),
    ];
    await navigator.clipboard.writeText(`${lines.join('\n')}\n`);
    setCopied(true);
  };
  if (!hasClipboard) return null;
  return (
    <button
      type="button"
      className="button"
      disabled={!facts}
      data-testid="copy-details"
      onClick={() => session.attempt(copy)}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      {words(copied ? 'webview.copied' : 'webview.about.copyDetails')}
    </button>
  );
}
