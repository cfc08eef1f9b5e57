import { useState } from 'react';
import type { ProfileState } from '../../../src/shared/protocol.ts';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** The models that are set up: which is in use, change, delete. */
export function Profiles({ onEdit }: { onEdit: (profile: ProfileState) => void }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const profiles = useAppState((state) => state.profiles);
  const active = useAppState((state) => state.activeProfile);
  const [confirming, setConfirming] = useState<string>();
  return (
    <ul className="list">
      {profiles.map((profile) => (
        <li className="list-entry" key={profile.name} data-testid="profile" data-name={profile.name}>
          <button
            type="button"
            className="list-main"
            aria-pressed={profile.name === active}
            onClick={() => session.models.select(profile.name)}
          >
            <span className="list-title">
              {profile.name}
              {profile.name === active && <span className="badge">{words('webview.inUse')}</span>}
            </span>
            <span className="quiet list-facts">
              <span>{words(`webview.provider.${profile.provider}`)}</span>
              {profile.model !== profile.name && <span>{profile.model}</span>}
              {profile.hasKey && <span>{words('webview.keySaved')}</span>}
            </span>
          </button>
          {confirming === profile.name ? (
            <span
              className="confirm"
              role="group"
              aria-label={words('webview.deleteModel', { name: profile.name })}
            >
              <button
                type="button"
                className="button"
                autoFocus
                onClick={() => {
                  setConfirming(undefined);
                  session.models.delete(profile.name);
                }}
              >
                {words('webview.delete')}
              </button>
              <button type="button" className="button secondary" onClick={() => setConfirming(undefined)}>
                {words('webview.keep')}
              </button>
            </span>
          ) : (
            <>
              <IconButton
                icon="edit"
                label={words('webview.editModel', { name: profile.name })}
                onClick={() => onEdit(profile)}
              />
              <IconButton
                icon="trash"
                label={words('webview.deleteModel', { name: profile.name })}
                onClick={() => setConfirming(profile.name)}
              />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
