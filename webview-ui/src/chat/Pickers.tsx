import { Icon } from '../common/Icon.tsx';
import { Menu } from '../common/Menu.tsx';
import { modeDescription, modeName } from '../common/modeName.ts';
import { useAppState, useSession, useWords, type Words } from '../useSession.ts';

const SETTINGS = 'settings';
/** No slug has a space. */
const MANAGE = 'manage modes';

export function ModeMenu(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const mode = useAppState((state) =>
    state.taskId === undefined ? state.mode : state.view.mode || state.mode,
  );
  const openRequest = useAppState((state) => state.modeMenuRequest);
  const name = modeName(words, modes, mode);
  return (
    <Menu
      label={words('webview.modePicker', { mode: name })}
      testId="mode-picker"
      className="mode"
      openRequest={openRequest}
      items={[
        ...modes.map(({ slug }) => {
          const description = modeDescription(words, modes, slug);
          return {
            id: slug,
            label: modeName(words, modes, slug),
            selected: slug === mode,
            ...(description === undefined ? {} : { description }),
          };
        }),
        { id: MANAGE, label: words('webview.modes.manage'), icon: 'settings-gear' },
      ]}
      onPick={(id) => (id === MANAGE ? session.show('modes') : session.setMode(id))}
    >
      <span className="picker-text">{name}</span>
      <Icon name="chevron-down" />
    </Menu>
  );
}

export function ModelMenu(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const profiles = useAppState((state) => state.profiles);
  const active = useAppState((state) =>
    state.taskId === undefined ? state.activeProfile : (state.view.model?.profile ?? state.activeProfile),
  );
  const shown = active ?? words('webview.noModel');
  return (
    <Menu
      label={words('webview.modelPicker', { model: shown })}
      testId="model-picker"
      className="model"
      items={[
        ...profiles.map(({ name, provider, model }) => ({
          id: `profile:${name}`,
          label: name,
          description: name === model ? provider : `${provider} · ${model}`,
          selected: name === active,
        })),
        { id: SETTINGS, label: words('webview.setUpModels'), icon: 'settings-gear' },
      ]}
      onPick={(id) =>
        id === SETTINGS ? session.show('settings') : session.models.select(id.slice('profile:'.length))
      }
    >
      <span className="picker-text">{shown}</span>
      <Icon name="chevron-down" />
    </Menu>
  );
}

const kinds = ['read', 'edit', 'browser', 'switchMode'] as const;

/** What happens without asking. */
export function AutomaticMenu(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const auto = useAppState((state) => state.policy?.auto);
  const on = kinds.filter((kind) => auto?.[kind] === true);
  const label = automaticLabel(words, on);
  return (
    <Menu
      label={label}
      testId="automatic"
      align="end"
      items={[
        ...kinds.map((kind) => ({
          id: kind,
          label: words(`webview.automatic.${kind}`),
          description: words(`webview.automatic.${kind}.what`),
          checked: auto?.[kind] === true,
        })),
        { id: SETTINGS, label: words('webview.rules'), icon: 'settings-gear' },
      ]}
      onPick={(id) => {
        const kind = kinds.find((candidate) => candidate === id);
        if (kind) session.models.setAutomatic({ [kind]: auto?.[kind] !== true });
        else session.show('settings');
      }}
    >
      <span className="picker-text">{label}</span>
      <Icon name="chevron-down" />
    </Menu>
  );
}

function automaticLabel(words: Words, on: readonly (typeof kinds)[number][]): string {
  if (on.length === 0) return words('webview.automaticNone');
  const names = on.map((kind) => words(`webview.automatic.${kind}.short`));
  return words('webview.automaticSome', { kinds: names.join(words('webview.listSeparator')) });
}
