import { useEffect, useId, useState } from 'react';
import type { ModeRow, Scope } from '../../../src/shared/customModes.ts';
import { Icon } from '../common/Icon.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { CommandList } from './CommandList.tsx';
import { ModeForm } from './ModeForm.tsx';
import { ModeList } from './ModeList.tsx';
import { NoteList } from './NoteList.tsx';
import { RuleFiles } from './RuleFiles.tsx';

const tabs = ['modes', 'rules', 'commands', 'notes'] as const;
type Tab = (typeof tabs)[number];

/** What the form begins with: a mode of a file, or another one's words under a slug of its own. */
export interface Draft {
  scope: Scope;
  mode: ModeRow['mode'] | undefined;
  /** The slug that it has in its file; a new mode has none. */
  replaces: string | undefined;
}

/** Modes, rules and slash commands: where each comes from, what it may do, and what is wrong with its file; and notes. */
export function Modes(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const overview = useAppState((state) => state.modeOverview);
  const [tab, setTab] = useState<Tab>('modes');
  const [draft, setDraft] = useState<Draft>();
  useEffect(() => {
    session.store.set({ imported: [] });
    session.attempt(() => session.agentFiles.refresh());
  }, [session]);
  if (draft) {
    const close = (): void => setDraft(undefined);
    const name = draft.mode?.name ?? '';
    return (
      <main className="screen" data-testid="modes">
        <ScreenHead
          title={
            draft.replaces === undefined
              ? words('webview.modes.new')
              : words('webview.modes.change', { name })
          }
          onBack={close}
        />
        <ModeForm draft={draft} onClose={close} />
      </main>
    );
  }
  return (
    <main className="screen" data-testid="modes">
      <ScreenHead title={words('webview.modes.title')} />
      <Tabs tab={tab} onChange={setTab}>
        {overview === undefined ? (
          <p className="quiet">
            <Icon name="loading" spin /> {words('webview.opening')}
          </p>
        ) : (
          <>
            {tab === 'modes' && <ModeList overview={overview} onEdit={setDraft} />}
            {tab === 'rules' && <RuleFiles />}
            {tab === 'commands' && <CommandList />}
            {tab === 'notes' && <NoteList />}
          </>
        )}
      </Tabs>
    </main>
  );
}

/** Arrows walk from one to the next, as in the editor. */
function Tabs({
  tab,
  onChange,
  children,
}: {
  tab: Tab;
  onChange: (tab: Tab) => void;
  children: React.ReactNode;
}): React.JSX.Element {
  const words = useWords();
  const id = useId();
  const walk = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = step === 0 ? undefined : tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onChange(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div role="tablist" className="tabs" aria-label={words('webview.modes.title')} onKeyDown={walk}>
        {tabs.map((one) => (
          <button
            type="button"
            key={one}
            id={`${id}-${one}`}
            role="tab"
            aria-selected={one === tab}
            aria-controls={`${id}-panel`}
            tabIndex={one === tab ? 0 : -1}
            className="tab"
            data-testid={`tab-${one}`}
            onClick={() => onChange(one)}
          >
            {words(`webview.modes.tab.${one}`)}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="tab-panel">
        {children}
      </div>
    </>
  );
}
