import { useRef, useState } from 'react';
import type { ProfileState } from '../../../src/shared/protocol.ts';
import { profileSchema, providerIds, type Profile, type ProviderId } from '../../../src/shared/settings.ts';
import type { StringKey } from '../../../src/shared/strings.ts';
import { ChoiceField } from '../common/ChoiceField.tsx';
import { Icon } from '../common/Icon.tsx';
import { TextField } from '../common/TextField.tsx';
import { useAppState, useInEditor, useSession, useWords } from '../useSession.ts';

interface Fields {
  name: string;
  provider: ProviderId;
  model: string;
  baseUrl: string;
  key: string;
  protocol: Profile['protocol'];
  /** As typed; empty: nobody says. */
  contextWindow: string;
  compactPrompt: boolean;
}

interface Problem {
  field: 'model' | 'url' | 'name' | 'window';
  words: StringKey;
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
  const inEditor = useInEditor();
  const names = useAppState((state) => state.profiles);
  const [fields, setFields] = useState<Fields>({
    name: profile?.name ?? '',
    provider: profile?.provider ?? 'anthropic',
    model: profile?.model ?? '',
    baseUrl: profile?.baseUrl ?? '',
    key: '',
    protocol: profile?.protocol ?? 'auto',
    contextWindow: String(profile?.contextWindow ?? ''),
    compactPrompt: profile?.compactPrompt ?? false,
  });
  const [test, setTest] = useState<TestState>('none');
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLDivElement>(null);
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
      contextWindow: fields.contextWindow.trim() === '' ? undefined : Number(fields.contextWindow),
      compactPrompt: fields.compactPrompt ? true : undefined,
    });
    const taken = profile === undefined && names.some((other) => other.name === name);
    const wrong = parsed.success ? [] : parsed.error.issues.map(({ path }) => String(path[0]));
    const found = problemOf(fields, wrong, taken);
    if (found === undefined && parsed.success) return parsed.data;
    setProblem(found);
    if (found) form.current?.querySelector<HTMLElement>(`[data-testid="profile-${found.field}"]`)?.focus();
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

  const problemIn = (field: Problem['field']): string | undefined =>
    problem?.field === field ? words(problem.words) : undefined;

  return (
    // The editor's page submits no forms, so that Enter is ours to hear.
    <div
      ref={form}
      role="form"
      aria-label={words(profile ? 'webview.editModel' : 'webview.addModel', { name: profile?.name ?? '' })}
      className="form"
      data-testid="profile-form"
      onKeyDown={(event) => {
        const inField = event.target instanceof HTMLInputElement && !event.nativeEvent.isComposing;
        if (event.key === 'Enter' && inField) save();
      }}
    >
      <ChoiceField
        label={words('webview.form.provider')}
        value={fields.provider}
        testId="profile-provider"
        choices={providerIds.map((provider) => [provider, words(`webview.provider.${provider}`)])}
        onChoice={(provider) => change({ provider })}
      />
      <TextField
        label={words('webview.form.model')}
        problem={problemIn('model')}
        value={fields.model}
        spellCheck={false}
        autoComplete="off"
        testId="profile-model"
        onText={(model) => change({ model })}
      />
      {!needsNoKey.includes(fields.provider) && (
        <>
          {inEditor ? (
            <TextField
              label={words('webview.form.key')}
              hint={words(profile?.hasKey === true ? 'webview.form.keyKept' : 'webview.form.keyHint')}
              type="password"
              value={fields.key}
              autoComplete="off"
              testId="profile-key"
              onText={(key) => change({ key })}
            />
          ) : (
            <p className="quiet">{words('web.keyHint')}</p>
          )}
          <TextField
            label={words('webview.form.baseUrl')}
            hint={needsAddress.includes(fields.provider) ? undefined : words('webview.form.baseUrlHint')}
            problem={problemIn('url')}
            value={fields.baseUrl}
            spellCheck={false}
            placeholder="https://"
            testId="profile-url"
            onText={(baseUrl) => change({ baseUrl })}
          />
        </>
      )}
      <TextField
        label={words('webview.form.name')}
        hint={words('webview.form.nameHint')}
        problem={problemIn('name')}
        value={fields.name}
        maxLength={64}
        disabled={profile !== undefined}
        testId="profile-name"
        onText={(name) => change({ name })}
      />
      <ChoiceField
        label={words('webview.form.protocol')}
        hint={words('webview.form.protocolHint')}
        value={fields.protocol}
        testId="profile-protocol"
        choices={protocols.map((protocol) => [protocol, words(`webview.protocol.${protocol}`)])}
        onChoice={(protocol) => change({ protocol })}
      />
      <ChoiceField
        label={words('webview.form.prompt')}
        hint={words('webview.form.promptHint')}
        value={fields.compactPrompt ? 'short' : 'whole'}
        testId="profile-prompt"
        choices={[
          ['whole', words('webview.form.promptWhole')],
          ['short', words('webview.form.promptShort')],
        ]}
        onChoice={(prompt) => change({ compactPrompt: prompt === 'short' })}
      />
      <TextField
        label={words('webview.form.window')}
        hint={words('webview.form.windowHint')}
        problem={problemIn('window')}
        value={fields.contextWindow}
        inputMode="numeric"
        maxLength={9}
        testId="profile-window"
        onText={(contextWindow) => change({ contextWindow })}
      />
      <div aria-live="polite">
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
        <button type="button" className="button" data-testid="profile-save" onClick={save}>
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
    </div>
  );
}

/** The first thing to mend, in the order of the form. */
function problemOf(fields: Fields, wrong: readonly string[], taken: boolean): Problem | undefined {
  if (wrong.includes('model')) return { field: 'model', words: 'webview.form.modelMissing' };
  const noAddress = needsAddress.includes(fields.provider) && fields.baseUrl.trim() === '';
  if (noAddress || wrong.includes('baseUrl')) return { field: 'url', words: 'webview.form.baseUrlWrong' };
  if (wrong.includes('contextWindow')) return { field: 'window', words: 'webview.form.windowWrong' };
  if (taken) return { field: 'name', words: 'webview.form.nameTaken' };
  return wrong.includes('name') ? { field: 'name', words: 'webview.form.nameWrong' } : undefined;
}
