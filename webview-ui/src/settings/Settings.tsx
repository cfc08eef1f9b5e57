import { useState } from 'react';
import type { ProfileState } from '../../../src/shared/protocol.ts';
import { Icon } from '../common/Icon.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useInEditor, useSession, useWords } from '../useSession.ts';
import { Automatic } from './Automatic.tsx';
import { ExplainCommand } from './ExplainCommand.tsx';
import { ProfileForm } from './ProfileForm.tsx';
import { Profiles } from './Profiles.tsx';
import { Rules } from './Rules.tsx';

/** What the editor's own settings cannot show: models and keys, what is automatic, and the rules that were kept. */
export function Settings(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const inEditor = useInEditor();
  const noProfiles = useAppState((state) => state.profiles.length === 0);
  const [editing, setEditing] = useState<ProfileState | 'new' | undefined>(noProfiles ? 'new' : undefined);
  if (editing !== undefined) {
    const close = (): void => setEditing(undefined);
    return (
      <main className="screen" data-testid="settings">
        <ScreenHead
          title={
            editing === 'new' ? words('webview.addModel') : words('webview.editModel', { name: editing.name })
          }
          {...(noProfiles ? {} : { onBack: close })}
        />
        <ProfileForm profile={editing === 'new' ? undefined : editing} onClose={close} />
      </main>
    );
  }
  return (
    <main className="screen" data-testid="settings">
      <ScreenHead title={words('webview.settings')} />
      <section aria-label={words('webview.models')}>
        <h2>{words('webview.models')}</h2>
        <Profiles onEdit={setEditing} />
        <button
          type="button"
          className="button secondary"
          data-testid="add-profile"
          onClick={() => setEditing('new')}
        >
          <Icon name="add" />
          {words('webview.addModel')}
        </button>
      </section>
      <Automatic />
      <Rules />
      <ExplainCommand />
      <p className="links">
        {inEditor && (
          <button
            type="button"
            className="link"
            onClick={() => session.attempt(() => session.transport.call('editor/openSettings', {}))}
          >
            {words('webview.editorSettings')}
          </button>
        )}
        <button type="button" className="link" data-testid="open-about" onClick={() => session.show('about')}>
          {words('webview.about')}
        </button>
      </p>
    </main>
  );
}
