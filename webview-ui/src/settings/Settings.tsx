import { useState } from 'react';
import type { ApprovalRule } from '../../../src/shared/approvals.ts';
import type { ProfileState } from '../../../src/shared/protocol.ts';
import { describeRule, placeOfRule } from '../approvals/describeRule.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { ProfileForm } from './ProfileForm.tsx';

/** What the editor's own settings cannot show: models and keys, what is automatic, and the rules that were kept. */
export function Settings(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
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
      <p>
        <button
          type="button"
          className="link"
          onClick={() => session.attempt(() => session.transport.call('editor/openSettings', {}))}
        >
          {words('webview.editorSettings')}
        </button>
      </p>
    </main>
  );
}

function Profiles({ onEdit }: { onEdit: (profile: ProfileState) => void }): React.JSX.Element {
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

function Automatic(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const auto = useAppState((state) => state.policy?.auto);
  return (
    <section aria-label={words('webview.automaticTitle')}>
      <h2>{words('webview.automaticTitle')}</h2>
      <p className="quiet">{words('webview.automaticText')}</p>
      {(['read', 'edit', 'browser', 'switchMode'] as const).map((kind) => (
        <label className="check" key={kind}>
          <input
            type="checkbox"
            checked={auto?.[kind] === true}
            disabled={auto === undefined}
            data-testid={`automatic-${kind}`}
            onChange={(event) => session.models.setAutomatic({ [kind]: event.target.checked })}
          />
          <span>
            {words(`webview.automatic.${kind}`)}
            <span className="quiet check-what">{words(`webview.automatic.${kind}.what`)}</span>
          </span>
        </label>
      ))}
    </section>
  );
}

function Rules(): React.JSX.Element {
  const words = useWords();
  const policy = useAppState((state) => state.policy);
  return (
    <section aria-label={words('webview.rules')}>
      <h2>{words('webview.rules')}</h2>
      {policy?.allow.length === 0 && policy.deny.length === 0 && (
        <p className="quiet">{words('webview.noRules')}</p>
      )}
      <ul className="list">
        {policy?.allow.map((rule, index) => (
          <Rule key={`allow ${index}`} rule={rule} kind="allowed" />
        ))}
        {policy?.deny.map((rule, index) => (
          <Rule key={`deny ${index}`} rule={rule} kind="denied" />
        ))}
      </ul>
    </section>
  );
}

function Rule({ rule, kind }: { rule: ApprovalRule; kind: 'allowed' | 'denied' }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const root = useAppState((state) => state.workspace);
  const described = describeRule(words, rule, root);
  const place = placeOfRule(rule, root);
  return (
    <li className="list-entry" data-testid="rule">
      <span className="list-main">
        <span className="list-title">{described}</span>
        <span className="quiet list-facts">
          <span>
            <Icon name={kind === 'allowed' ? 'check' : 'circle-slash'} /> {words(`webview.rule.${kind}`)}
          </span>
          {place !== undefined && <span>{place}</span>}
        </span>
      </span>
      <IconButton
        icon="trash"
        label={words('webview.revoke', { rule: described })}
        testId="revoke"
        onClick={() => session.models.revoke(rule)}
      />
    </li>
  );
}
