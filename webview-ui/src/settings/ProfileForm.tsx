import { useId, useState } from 'react';
import type { ProfileState } from '../../../src/shared/protocol.ts';
import { profileSchema, providerIds, type Profile, type ProviderId } from '../../../src/shared/settings.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

interface Fields {
  name: string;
  provider: ProviderId;
  model: string;
  baseUrl: string;
  key: string;
  protocol: Profile['protocol'];
}

type TestState = 'none' | 'running' | 'ok' | { failed: string };

const protocols = ['auto', 'native', 'xml'] as const;
/** Services whose address nobody knows but the person. */
const needsAddress: readonly ProviderId[] = ['openai-compatible'];
/** Services that take no key. */
const needsNoKey: readonly ProviderId[] = ['tour', 'vscode-lm'];

/** A model to add or to change. The key goes to the secret store and is never shown again. */
export function ProfileForm({
  profile,
  onClose,
}: {
  profile: ProfileState | undefined;
  onClose: () => void;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const names = useAppState((state) => state.profiles);
  const [fields, setFields] = useState<Fields>({
    name: profile?.name ?? '',
    provider: profile?.provider ?? 'anthropic',
    model: profile?.model ?? '',
    baseUrl: profile?.baseUrl ?? '',
    key: '',
    protocol: profile?.protocol ?? 'auto',
  });
  const [test, setTest] = useState<TestState>('none');
  const [problem, setProblem] = useState<string>();
  const change = (changed: Partial<Fields>): void => {
    setFields({ ...fields, ...changed });
    setTest('none');
    setProblem(undefined);
  };

  /** The profile as it would be saved, or nothing and why. */
  const read = (): Profile | undefined => {
    const name = fields.name.trim() === '' ? fields.model.trim() : fields.name.trim();
    const parsed = profileSchema.safeParse({
      ...profile,
      name,
      provider: fields.provider,
      model: fields.model.trim(),
      protocol: fields.protocol,
      baseUrl: fields.baseUrl.trim() === '' ? undefined : fields.baseUrl.trim(),
    });
    const taken = profile === undefined && names.some((other) => other.name === name);
    const wrong = taken ? 'name' : parsed.success ? missing(fields) : String(parsed.error.issues[0]?.path[0]);
    if (wrong === undefined && parsed.success) return parsed.data;
    setProblem(words(problemKey(wrong, taken)));
    return undefined;
  };
  const save = (): void => {
    const read_ = read();
    if (!read_) return;
    session.attempt(async () => {
      await session.models.save(read_, fields.key);
      if (names.length === 0) session.models.select(read_.name);
      onClose();
    });
  };
  const tryIt = (): void => {
    const read_ = read();
    if (!read_) return;
    setTest('running');
    session.attempt(async () => {
      try {
        const { ok, error } = await session.models.test(read_, fields.key);
        setTest(ok ? 'ok' : { failed: error ? words.of(error) : words('webview.testFailed') });
      } catch (error) {
        setTest('none');
        throw error;
      }
    });
  };

  return (
    <form
      className="form"
      data-testid="profile-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label={words('webview.form.provider')}>
        {(id) => (
          <select
            id={id}
            value={fields.provider}
            data-testid="profile-provider"
            onChange={(event) => {
              const provider = providerIds.find((candidate) => candidate === event.target.value);
              if (provider) change({ provider });
            }}
          >
            {providerIds.map((provider) => (
              <option key={provider} value={provider}>
                {words(`webview.provider.${provider}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words('webview.form.model')}>
        {(id) => (
          <input
            id={id}
            value={fields.model}
            spellCheck={false}
            autoComplete="off"
            data-testid="profile-model"
            onChange={(event) => change({ model: event.target.value })}
          />
        )}
      </Field>
      {!needsNoKey.includes(fields.provider) && (
        <>
          <Field
            label={words('webview.form.key')}
            hint={words(profile?.hasKey === true ? 'webview.form.keyKept' : 'webview.form.keyHint')}
          >
            {(id) => (
              <input
                id={id}
                type="password"
                value={fields.key}
                autoComplete="off"
                data-testid="profile-key"
                onChange={(event) => change({ key: event.target.value })}
              />
            )}
          </Field>
          <Field
            label={words('webview.form.baseUrl')}
            hint={needsAddress.includes(fields.provider) ? undefined : words('webview.form.baseUrlHint')}
          >
            {(id) => (
              <input
                id={id}
                value={fields.baseUrl}
                spellCheck={false}
                placeholder="https://"
                data-testid="profile-url"
                onChange={(event) => change({ baseUrl: event.target.value })}
              />
            )}
          </Field>
        </>
      )}
      <Field label={words('webview.form.name')} hint={words('webview.form.nameHint')}>
        {(id) => (
          <input
            id={id}
            value={fields.name}
            maxLength={64}
            disabled={profile !== undefined}
            data-testid="profile-name"
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={words('webview.form.protocol')} hint={words('webview.form.protocolHint')}>
        {(id) => (
          <select
            id={id}
            value={fields.protocol}
            onChange={(event) => {
              const protocol = protocols.find((candidate) => candidate === event.target.value);
              if (protocol) change({ protocol });
            }}
          >
            {protocols.map((protocol) => (
              <option key={protocol} value={protocol}>
                {words(`webview.protocol.${protocol}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div aria-live="polite">
        {problem !== undefined && <p className="danger">{problem}</p>}
        {test === 'running' && (
          <p className="quiet">
            <Icon name="loading" spin /> {words('webview.testing')}
          </p>
        )}
        {test === 'ok' && (
          <p data-testid="test-ok">
            <Icon name="check" /> {words('webview.testOk')}
          </p>
        )}
        {typeof test === 'object' && (
          <p className="danger" data-testid="test-failed">
            <Icon name="error" /> {test.failed}
          </p>
        )}
      </div>
      <div className="actions">
        <button type="submit" className="button" data-testid="profile-save">
          {words('webview.save')}
        </button>
        <button
          type="button"
          className="button secondary"
          disabled={test === 'running'}
          data-testid="profile-test"
          onClick={tryIt}
        >
          {words('webview.test')}
        </button>
        <button type="button" className="button secondary" onClick={onClose}>
          {words('webview.cancel')}
        </button>
      </div>
    </form>
  );
}

function missing(fields: Fields): string | undefined {
  return needsAddress.includes(fields.provider) && fields.baseUrl.trim() === '' ? 'baseUrl' : undefined;
}

function problemKey(wrong: string | undefined, taken: boolean) {
  if (taken) return 'webview.form.nameTaken';
  if (wrong === 'baseUrl') return 'webview.form.baseUrlWrong';
  return wrong === 'name' ? 'webview.form.nameWrong' : 'webview.form.modelMissing';
}

function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string | undefined;
  children: (id: string) => React.ReactNode;
}): React.JSX.Element {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <span className="quiet">{hint}</span>}
    </div>
  );
}
