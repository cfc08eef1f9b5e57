import { useRef, useState } from 'react';
import type { ModeOverview, ModeRow, Scope } from '../../../src/shared/customModes.ts';
import { Icon } from '../common/Icon.tsx';
import { Menu, type MenuItem } from '../common/Menu.tsx';
import { modeDescription, modeName } from '../common/modeName.ts';
import { shortPath } from '../common/shortPath.ts';
import { useAppState, useInEditor, useSession, useWords, type Words } from '../useSession.ts';
import { FileProblems } from './FileProblems.tsx';
import { mayDo } from './mayDo.ts';
import type { Draft } from './Modes.tsx';

interface Props {
  overview: ModeOverview;
  onEdit: (draft: Draft) => void;
}

/** Every mode with its source and what it may do; those of files can be changed. */
export function ModeList({ overview, onEdit }: Props): React.JSX.Element {
  const words = useWords();
  const imported = useAppState((state) => state.imported);
  const trusted = useAppState((state) => state.trusted);
  const project = overview.files.project !== undefined;
  return (
    <>
      <p className="quiet">{words('webview.modes.text')}</p>
      {!trusted && <p className="quiet">{words('webview.modes.untrusted')}</p>}
      <div className="actions">
        <button
          type="button"
          className="button"
          data-testid="new-mode"
          onClick={() =>
            onEdit({ scope: project ? 'project' : 'global', mode: undefined, replaces: undefined })
          }
        >
          <Icon name="add" />
          {words('webview.modes.new')}
        </button>
        <ImportMenu project={project} />
      </div>
      <p className="quiet" role="status" data-testid="imported">
        {imported.length > 0 && words('webview.modes.imported', { modes: imported.join(', ') })}
      </p>
      <FileProblems problems={overview.problems} />
      <ul className="list">
        {overview.modes.map((row) => (
          <Row
            key={`${row.source} ${row.path ?? ''} ${row.mode.slug} ${row.line ?? 0}`}
            row={row}
            overview={overview}
            onEdit={onEdit}
          />
        ))}
      </ul>
    </>
  );
}

function ImportMenu({ project }: { project: boolean }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const picker = useRef<HTMLInputElement>(null);
  const scope = useRef<Scope>('global');
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".yaml,.yml,.json,.kilocodemodes,.roomodes"
        hidden
        aria-label={words('webview.modes.import')}
        data-testid="import-file"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) session.agentFiles.import(scope.current, file);
          event.target.value = '';
        }}
      />
      <Menu
        label={words('webview.modes.import')}
        testId="import-modes"
        className="button-menu"
        below
        items={[
          { id: 'global', label: words('webview.modes.scope.global'), icon: 'account' },
          ...(project
            ? [{ id: 'project', label: words('webview.modes.scope.project'), icon: 'root-folder' }]
            : []),
        ]}
        onPick={(id) => {
          scope.current = id === 'project' ? 'project' : 'global';
          picker.current?.click();
        }}
      >
        <Icon name="cloud-download" />
        <span className="picker-text">{words('webview.modes.import')}</span>
        <Icon name="chevron-down" />
      </Menu>
    </>
  );
}

function Row({ row, overview, onEdit }: Props & { row: ModeRow }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const workspace = useAppState((state) => state.workspace);
  const inEditor = useInEditor();
  const [confirming, setConfirming] = useState(false);
  const { mode, source, state, path, line, hash } = row;
  const { name, description } = shown(words, row);
  const scope = source === 'builtIn' ? undefined : source;
  const act = (id: string): void => {
    if (id === 'edit' && scope) onEdit({ scope, mode, replaces: mode.slug });
    else if (id === 'duplicate') onEdit(copyOf(row, overview, name));
    else if (id === 'export') session.agentFiles.export(mode.slug);
    else if (id === 'open' && path !== undefined) session.openPath(path, line);
    else if (id === 'revoke') session.agentFiles.consent(mode.slug, hash, false);
    else if (id === 'delete') setConfirming(true);
  };
  return (
    <li className="list-entry mode-row" data-testid="mode-row" data-mode={mode.slug} data-state={state}>
      <div className="list-main">
        <span className="list-title">
          <bdi>{name}</bdi>
          <span className="quiet mono mode-slug">{mode.slug}</span>
          {state !== 'used' && <span className="badge">{words(`webview.modes.state.${state}`)}</span>}
        </span>
        {description !== undefined && <span dir="auto">{description}</span>}
        <span className="quiet list-facts">
          <span>
            {words(`webview.modes.source.${source}`)}
            {path !== undefined && `: ${shortPath(path, workspace)}`}
          </span>
          <span data-testid="mode-may">{mayDo(words, mode)}</span>
        </span>
        {state === 'asks' && (
          <div className="mode-asks" data-testid="mode-asks">
            <p>{words('webview.modes.asks', { mode: mode.slug })}</p>
            <div className="actions">
              <button
                type="button"
                className="button"
                data-testid="mode-agree"
                onClick={() => session.agentFiles.consent(mode.slug, hash, true)}
              >
                {words('webview.modes.agree')}
              </button>
              {inEditor && (
                <button type="button" className="button secondary" onClick={() => act('open')}>
                  {words('webview.modes.open')}
                </button>
              )}
            </div>
          </div>
        )}
      </div>
      {confirming && scope ? (
        <span className="confirm" role="group" aria-label={words('webview.modes.delete', { name })}>
          <button
            type="button"
            className="button"
            autoFocus
            data-testid="mode-delete"
            onClick={() => {
              setConfirming(false);
              session.agentFiles.delete(scope, mode.slug);
            }}
          >
            {words('webview.delete')}
          </button>
          <button type="button" className="button secondary" onClick={() => setConfirming(false)}>
            {words('webview.keep')}
          </button>
        </span>
      ) : (
        <Menu
          label={words('webview.modes.actions', { name })}
          testId="mode-actions"
          below
          items={actionsOf(words, row).filter(({ id }) => inEditor || id !== 'open')}
          onPick={act}
        >
          <Icon name="ellipsis" />
        </Menu>
      )}
    </li>
  );
}

function actionsOf(words: Words, { source, state, agreed }: ModeRow): MenuItem[] {
  const ofFile = source !== 'builtIn';
  return [
    ...(ofFile ? [{ id: 'edit', label: words('webview.modes.edit'), icon: 'edit' }] : []),
    { id: 'duplicate', label: words('webview.modes.duplicate'), icon: 'copy' },
    ...(state === 'used'
      ? [{ id: 'export', label: words('webview.modes.export'), icon: 'cloud-upload' }]
      : []),
    ...(ofFile ? [{ id: 'open', label: words('webview.modes.open'), icon: 'go-to-file' }] : []),
    ...(agreed ? [{ id: 'revoke', label: words('webview.modes.revoke'), icon: 'circle-slash' }] : []),
    ...(ofFile ? [{ id: 'delete', label: words('webview.delete'), icon: 'trash' }] : []),
  ];
}

/** Our own modes in the reader's language, those of files in their own words. */
function shown(words: Words, { mode, source }: ModeRow): { name: string; description: string | undefined } {
  if (source !== 'builtIn') return { name: mode.name, description: mode.description ?? mode.whenToUse };
  return {
    name: modeName(words, [mode], mode.slug),
    description: modeDescription(words, [mode], mode.slug),
  };
}

/** The same words under a slug that is free. */
function copyOf({ mode, source }: ModeRow, { modes, files }: ModeOverview, name: string): Draft {
  const taken = new Set(modes.map((row) => row.mode.slug));
  let number = 2;
  while (taken.has(`${mode.slug}-${number}`)) number++;
  const scope = source === 'builtIn' ? (files.project === undefined ? 'global' : 'project') : source;
  return {
    scope,
    mode: { ...mode, slug: `${mode.slug}-${number}`, name: `${name} ${number}` },
    replaces: undefined,
  };
}
