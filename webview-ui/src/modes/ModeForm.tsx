import { Fragment, useRef, useState } from 'react';
import type { Scope } from '../../../src/shared/customModes.ts';
import { modeConfigSchema, type GroupEntry, type ModeConfig } from '../../../src/shared/modes.ts';
import type { StringKey } from '../../../src/shared/strings.ts';
import { ChoiceField } from '../common/ChoiceField.tsx';
import { LongField } from '../common/LongField.tsx';
import { TextField } from '../common/TextField.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { chosenGroups, type ChosenGroup } from './mayDo.ts';
import type { Draft } from './Modes.tsx';

interface Fields {
  scope: Scope;
  name: string;
  slug: string;
  description: string;
  roleDefinition: string;
  whenToUse: string;
  customInstructions: string;
  groups: Partial<Record<ChosenGroup, { fileRegex: string; description: string }>>;
}

type Named = 'name' | 'slug' | 'roleDefinition' | 'fileRegex';

/** A mode to write or to change. What the agent refuses is shown above, and what was written stays. */
export function ModeForm({ draft, onClose }: { draft: Draft; onClose: () => void }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const project = useAppState((state) => state.modeOverview?.files.project !== undefined);
  const scopes: readonly Scope[] = project ? ['project', 'global'] : ['global'];
  const [fields, setFields] = useState<Fields>(() => fieldsOf(draft));
  const [slugTouched, setSlugTouched] = useState(draft.mode !== undefined);
  const [problem, setProblem] = useState<Named>();
  const form = useRef<HTMLDivElement>(null);
  const change = (changed: Partial<Fields>): void => {
    setFields({ ...fields, ...changed });
    setProblem(undefined);
  };
  const save = (): void => {
    const mode = modeOf(fields, draft.mode);
    const wrong = wrongIn(mode);
    setProblem(wrong);
    if (wrong) {
      form.current?.querySelector<HTMLElement>(`[data-testid="mode-${wrong}"]`)?.focus();
      return;
    }
    session.attempt(async () => {
      await session.agentFiles.save(fields.scope, mode, draft.replaces);
      onClose();
    });
  };
  const problemIn = (named: Named): string | undefined =>
    problem === named ? words(problems[named]) : undefined;
  const long = (key: 'roleDefinition' | 'whenToUse' | 'customInstructions', rows: number) => (
    <LongField
      label={words(`webview.modes.form.${key}`)}
      hint={words(`webview.modes.form.${key}.hint`)}
      problem={key === 'roleDefinition' ? problemIn('roleDefinition') : undefined}
      rows={rows}
      value={fields[key]}
      testId={`mode-${key}`}
      onText={(text) => change({ [key]: text })}
    />
  );
  return (
    <div
      ref={form}
      role="form"
      aria-label={words('webview.modes.new')}
      className="form"
      data-testid="mode-form"
    >
      {draft.replaces === undefined && (
        <ChoiceField
          label={words('webview.modes.form.scope')}
          value={fields.scope}
          testId="mode-scope"
          choices={scopes.map((scope) => [scope, words(`webview.modes.scope.${scope}`)])}
          onChoice={(scope) => change({ scope })}
        />
      )}
      <TextField
        label={words('webview.modes.form.name')}
        problem={problemIn('name')}
        value={fields.name}
        dir="auto"
        testId="mode-name"
        onText={(name) => change(slugTouched ? { name } : { name, slug: slugOf(name) })}
      />
      <TextField
        label={words('webview.modes.form.slug')}
        hint={words('webview.modes.form.slug.hint')}
        problem={problemIn('slug')}
        value={fields.slug}
        spellCheck={false}
        testId="mode-slug"
        onText={(slug) => {
          setSlugTouched(true);
          change({ slug: slug.trim() });
        }}
      />
      <TextField
        label={words('webview.modes.form.description')}
        value={fields.description}
        dir="auto"
        testId="mode-description"
        onText={(description) => change({ description })}
      />
      {long('roleDefinition', 4)}
      <Groups fields={fields} problem={problemIn('fileRegex')} onChange={(groups) => change({ groups })} />
      {long('whenToUse', 2)}
      {long('customInstructions', 4)}
      <div className="actions">
        <button type="button" className="button" data-testid="mode-save" onClick={save}>
          {words('webview.save')}
        </button>
        <button type="button" className="button secondary" onClick={onClose}>
          {words('webview.cancel')}
        </button>
      </div>
    </div>
  );
}

function Groups({
  fields,
  problem,
  onChange,
}: {
  fields: Fields;
  problem: string | undefined;
  onChange: (groups: Fields['groups']) => void;
}): React.JSX.Element {
  const words = useWords();
  const { edit } = fields.groups;
  return (
    <fieldset className="groups">
      <legend>{words('webview.modes.form.groups')}</legend>
      {chosenGroups.map((group) => (
        <Fragment key={group}>
          <label className="check">
            <input
              type="checkbox"
              checked={fields.groups[group] !== undefined}
              data-testid={`mode-group-${group}`}
              onChange={(event) => {
                const { [group]: _was, ...others } = fields.groups;
                onChange(
                  event.target.checked ? { ...others, [group]: { fileRegex: '', description: '' } } : others,
                );
              }}
            />
            <span>
              {words(`webview.modes.group.${group}`)}
              <span className="quiet check-what">{words(`webview.modes.group.${group}.what`)}</span>
            </span>
          </label>
          {group === 'edit' && edit && (
            <div className="group-files">
              <TextField
                label={words('webview.modes.form.fileRegex')}
                hint={words('webview.modes.form.fileRegex.hint')}
                problem={problem}
                value={edit.fileRegex}
                spellCheck={false}
                placeholder="\.md$"
                className="mono"
                testId="mode-fileRegex"
                onText={(fileRegex) => onChange({ ...fields.groups, edit: { ...edit, fileRegex } })}
              />
            </div>
          )}
        </Fragment>
      ))}
    </fieldset>
  );
}

const problems: Record<Named, StringKey> = {
  name: 'webview.modes.form.nameMissing',
  slug: 'webview.modes.form.slugWrong',
  roleDefinition: 'webview.modes.form.roleMissing',
  fileRegex: 'webview.modes.form.fileRegexWrong',
};

/** The first thing to mend, in the order of the form. */
function wrongIn(mode: ModeConfig): Named | undefined {
  const parsed = modeConfigSchema.safeParse(mode);
  const fields = parsed.success ? [] : parsed.error.issues.map(({ path }) => path[0]);
  const named = (['name', 'slug', 'roleDefinition'] as const).find((field) => fields.includes(field));
  if (named) return named;
  for (const entry of mode.groups) {
    if (typeof entry === 'string' || entry[1].fileRegex === undefined) continue;
    try {
      new RegExp(entry[1].fileRegex);
    } catch (error) {
      if (error instanceof SyntaxError) return 'fileRegex';
      throw error;
    }
  }
  return undefined;
}

function fieldsOf({ scope, mode }: Draft): Fields {
  const groups: Fields['groups'] = {};
  for (const entry of mode?.groups ?? ['read' as const]) {
    const [name, options] = typeof entry === 'string' ? [entry, {}] : entry;
    const group = chosenGroups.find((one) => one === name);
    if (group) groups[group] = { fileRegex: options.fileRegex ?? '', description: options.description ?? '' };
  }
  return {
    scope,
    groups,
    name: mode?.name ?? '',
    slug: mode?.slug ?? '',
    description: mode?.description ?? '',
    roleDefinition: mode?.roleDefinition ?? '',
    whenToUse: mode?.whenToUse ?? '',
    customInstructions: mode?.customInstructions ?? '',
  };
}

/** Fields that are left empty are left out; what another expression was described as does not describe this one. */
function modeOf(fields: Fields, before: ModeConfig | undefined): ModeConfig {
  const old = before?.groups.find((entry) => typeof entry !== 'string' && entry[0] === 'edit');
  const oldExpression = typeof old === 'object' ? old[1].fileRegex : undefined;
  const groups = chosenGroups.flatMap((group): GroupEntry[] => {
    const chosen = fields.groups[group];
    if (!chosen) return [];
    if (chosen.fileRegex === '') return [group];
    const keeps = chosen.description !== '' && (group !== 'edit' || chosen.fileRegex === oldExpression);
    return [[group, { fileRegex: chosen.fileRegex, ...(keeps ? { description: chosen.description } : {}) }]];
  });
  const optional = (key: 'description' | 'whenToUse' | 'customInstructions') =>
    fields[key].trim() === '' ? {} : { [key]: fields[key].trim() };
  return {
    slug: fields.slug,
    name: fields.name.trim(),
    roleDefinition: fields.roleDefinition.trim(),
    ...optional('description'),
    ...optional('whenToUse'),
    ...optional('customInstructions'),
    groups,
  };
}

function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
