import type { FileProblem, ModeOverview, ModeRow, Scope } from '../../shared/customModes.ts';
import { builtInModes, type ModeConfig } from '../../shared/modes.ts';
import { message } from '../../shared/strings.ts';
import { reasonOf, visible, type AgentFolder } from '../context/AgentFolder.ts';
import { ProtocolError } from '../Dispatcher.ts';
import type { SettingsStore } from '../SettingsStore.ts';
import { modeText, withMode, withoutMode } from './editModes.ts';
import { readModeRules, rulesIn, writeModeRules } from './modeRules.ts';
import { hashOfMode, modeProblem, parseModes, type ParsedModes } from './parseModes.ts';

/** Files of a workspace with modes, ours first, then the peers'; what is new is written to the first. */
export const PROJECT_MODE_FILES = ['.lathe/modes.yaml', '.kilocodemodes', '.roomodes'] as const;
const GLOBAL_FILE = 'modes.yaml';
/** Bytes of a file with modes. */
const LARGEST_FILE = 256 * 1024;
/** Milliseconds that reading them may take. */
const PATIENCE = 10_000;

export interface ModesOptions {
  /** LATHE_HOME. */
  person: AgentFolder;
  /** The workspace's folder, where its files may define modes; undefined where they may not. */
  project: (cwd: string) => AgentFolder | undefined;
  settings: SettingsStore;
}

interface ModeFile {
  folder: AgentFolder;
  origin: string;
  /** Undefined when there is no such file. */
  hash: string | undefined;
  text: string;
  parsed: ParsedModes;
  /** It is there and cannot be used. */
  unreadable?: string;
}

/** The modes of each workspace: those that are built in, the person's own, and those that its files define. */
export class Modes {
  readonly #options: ModesOptions;
  readonly #known = new Map<string, readonly ModeConfig[]>();
  /** By hash of the file: most reads find what the one before found. */
  readonly #parsed = new Map<string, ParsedModes>();

  constructor(options: ModesOptions) {
    this.#options = options;
  }

  /** As they were when they were read last; before that, those that are built in. */
  known(cwd: string | undefined): readonly ModeConfig[] {
    return this.#known.get(cwd ?? '') ?? builtInModes;
  }

  /** Reads the files anew. */
  async list(cwd: string | undefined): Promise<readonly ModeConfig[]> {
    const { modes } = await this.overview(cwd);
    const used = modes.filter(({ state }) => state === 'used').map(({ mode }) => mode);
    this.#known.set(cwd ?? '', used);
    return used;
  }

  async overview(cwd: string | undefined): Promise<ModeOverview> {
    const { modeConsents } = await this.#options.settings.read();
    const [global, project] = [await this.#files('global', cwd), await this.#files('project', cwd)];
    const agreed = (slug: string, hash: string): boolean =>
      modeConsents.some((one) => one.workspace === cwd && one.slug === slug && one.hash === hash);
    const rows: ModeRow[] = builtInModes.map((mode) => ({
      ...{ mode, source: 'builtIn', state: 'used', hash: hashOfMode(mode), agreed: false },
    }));
    const use = (row: ModeRow, slug: string): void => {
      const before = rows.findIndex((other) => other.state === 'used' && other.mode.slug === slug);
      const [hidden] = before < 0 ? [] : rows.splice(before, 1, row);
      if (hidden) rows.push({ ...hidden, state: 'hidden' });
      else rows.push(row);
    };
    const shadowed = new Set([...builtInModes, ...modesIn(global)].map(({ slug }) => slug));
    for (const { folder, origin, parsed } of [...global, ...project]) {
      for (const { mode, line, hash } of parsed.modes) {
        const { slug } = mode;
        const row = { mode: seen(mode), source: folder.scope, path: folder.path(origin), line, hash };
        const isTaken = rows.some(
          (other) => other.source === folder.scope && other.mode.slug === slug && other.state !== 'hidden',
        );
        const yes = folder.scope === 'project' && agreed(slug, hash);
        if (isTaken) rows.push({ ...row, state: 'hidden', agreed: false });
        else if (folder.scope === 'project' && shadowed.has(slug) && !yes)
          rows.push({ ...row, state: 'asks', agreed: false });
        else use({ ...row, state: 'used', agreed: yes && shadowed.has(slug) }, slug);
      }
    }
    const isOpen = cwd !== undefined && this.#options.project(cwd) !== undefined;
    return {
      modes: rows,
      problems: [...global, ...project].flatMap(problemsOf),
      files: {
        global: this.#options.person.path(GLOBAL_FILE),
        ...(isOpen ? { project: this.#own(cwd).path(PROJECT_MODE_FILES[0]) } : {}),
      },
    };
  }

  /** @throws ProtocolError when it cannot be a mode, is taken, or cannot be written */
  async save(cwd: string | undefined, scope: Scope, mode: ModeConfig, replaces?: string): Promise<void> {
    const problem = modeProblem(mode);
    if (problem) throw new ProtocolError('invalid_params', problem);
    const files = await this.#files(scope, cwd);
    const { slug } = mode;
    if (slug !== replaces && modesIn(files).some((other) => other.slug === slug))
      throw new ProtocolError('busy', message('modes.error.taken', { mode: slug }));
    const holder = replaces === undefined ? undefined : fileWith(files, replaces);
    if (replaces !== undefined && !holder)
      throw new ProtocolError('not_found', message('error.unknownMode', { mode: replaces }));
    await this.#put(scope, cwd, holder, (text) => withMode(text, mode, replaces));
    // Who writes it here has seen what it says.
    if (scope === 'project' && cwd !== undefined) await this.#agree(cwd, slug, hashOfMode(mode), true);
  }

  /** @throws ProtocolError when there is none in that scope, or it cannot be written */
  async delete(cwd: string | undefined, scope: Scope, slug: string): Promise<void> {
    const holder = fileWith(await this.#files(scope, cwd), slug);
    if (!holder) throw new ProtocolError('not_found', message('error.unknownMode', { mode: slug }));
    await this.#put(scope, cwd, holder, (text) => withoutMode(text, slug));
  }

  /** @throws ProtocolError when the workspace has no such mode any more */
  async consent(cwd: string | undefined, slug: string, hash: string, agreed: boolean): Promise<void> {
    const { modes } = await this.overview(cwd);
    const isThere = modes.some(
      (row) => row.source === 'project' && row.mode.slug === slug && row.hash === hash,
    );
    if (cwd === undefined || (agreed && !isThere))
      throw new ProtocolError('not_found', message('modes.error.changed', { mode: slug }));
    await this.#agree(cwd, slug, hash, agreed);
  }

  /** The mode and its rules, the workspace's and the person's own. @throws ProtocolError for a mode that there is none of */
  async export(cwd: string | undefined, slug: string): Promise<{ name: string; text: string }> {
    const mode = (await this.list(cwd)).find((one) => one.slug === slug);
    if (!mode) throw new ProtocolError('not_found', message('error.unknownMode', { mode: slug }));
    const project = cwd === undefined ? undefined : this.#options.project(cwd);
    const folders = [...(project ? [project] : []), this.#options.person];
    const signal = AbortSignal.timeout(PATIENCE);
    try {
      const found = await Promise.all(folders.map((folder) => readModeRules(folder, slug, signal)));
      const rules = new Map(found.reverse().flatMap((some) => some.map((rule) => [rule.name, rule])));
      return { name: `${slug}.yaml`, text: modeText(mode, [...rules.values()]) };
    } catch (error) {
      throw new ProtocolError(
        'unavailable',
        message('modes.problem.unreadable', { reason: reasonOf(error) }),
        {
          cause: error,
        },
      );
    }
  }

  /** Adds what is a mode, and the rules that came with it; gives what is neither. @throws ProtocolError when the file cannot be written */
  async import(
    cwd: string | undefined,
    scope: Scope,
    text: string,
  ): Promise<{ slugs: string[]; problems: FileProblem[] }> {
    const { modes, problems } = parseModes(text);
    const files = await this.#files(scope, cwd);
    for (const { mode } of modes) {
      const { slug } = mode;
      const holder = fileWith(await this.#files(scope, cwd), slug);
      await this.#put(scope, cwd, holder, (before) => withMode(before, mode, holder ? slug : undefined));
      const { rules, problems: wrong } = rulesIn(text, slug);
      const folder = scope === 'global' || cwd === undefined ? this.#options.person : this.#own(cwd);
      problems.push(...wrong, ...(await writeModeRules(folder, slug, rules, AbortSignal.timeout(PATIENCE))));
    }
    const path = files[0]?.origin ?? GLOBAL_FILE;
    return {
      slugs: modes.map(({ mode }) => mode.slug),
      problems: problems.map((problem) => ({ path, ...problem })),
    };
  }

  async #agree(workspace: string, slug: string, hash: string, agreed: boolean): Promise<void> {
    await this.#options.settings.change((settings) => ({
      ...settings,
      modeConsents: [
        ...settings.modeConsents.filter((one) => one.workspace !== workspace || one.slug !== slug),
        ...(agreed ? [{ workspace, slug, hash }] : []),
      ],
    }));
  }

  async #put(
    scope: Scope,
    cwd: string | undefined,
    holder: ModeFile | undefined,
    edit: (text: string) => string,
  ): Promise<void> {
    const file = holder ?? (await this.#files(scope, cwd))[0];
    if (!file) throw new ProtocolError('not_trusted', message('modes.error.noProject'));
    const { folder, origin, text, hash, unreadable } = file;
    if (unreadable !== undefined)
      throw new ProtocolError('unavailable', message('modes.problem.unreadable', { reason: unreadable }));
    try {
      await folder.write(origin, edit(text), hash ?? null, AbortSignal.timeout(PATIENCE));
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const reason = reasonOf(error);
      throw new ProtocolError('unavailable', message('modes.error.unwritten', { reason }), { cause: error });
    }
  }

  #own(cwd: string): AgentFolder {
    return this.#options.project(cwd) ?? this.#options.person;
  }

  async #files(scope: Scope, cwd: string | undefined): Promise<ModeFile[]> {
    if (scope === 'global') return [await this.#file(this.#options.person, GLOBAL_FILE)];
    const folder = cwd === undefined ? undefined : this.#options.project(cwd);
    if (!folder) return [];
    return await Promise.all(PROJECT_MODE_FILES.map(async (origin) => await this.#file(folder, origin)));
  }

  async #file(folder: AgentFolder, origin: string): Promise<ModeFile> {
    const nothing = { folder, origin, text: '', hash: undefined, parsed: { modes: [], problems: [] } };
    try {
      const found = await folder.text(origin, LARGEST_FILE, AbortSignal.timeout(PATIENCE));
      return found ? { ...nothing, ...found, parsed: this.#parse(found.text, found.hash) } : nothing;
    } catch (error) {
      return { ...nothing, unreadable: reasonOf(error) };
    }
  }

  #parse(text: string, hash: string): ParsedModes {
    const known = this.#parsed.get(hash);
    if (known) return known;
    if (this.#parsed.size > 50) this.#parsed.clear();
    const parsed = parseModes(text);
    this.#parsed.set(hash, parsed);
    return parsed;
  }
}

function modesIn(files: readonly ModeFile[]): ModeConfig[] {
  return files.flatMap(({ parsed }) => parsed.modes.map(({ mode }) => mode));
}

function fileWith(files: readonly ModeFile[], slug: string): ModeFile | undefined {
  return files.find(({ parsed }) => parsed.modes.some(({ mode }) => mode.slug === slug));
}

function problemsOf({ folder, origin, parsed, unreadable }: ModeFile): FileProblem[] {
  const path = folder.path(origin);
  if (unreadable !== undefined)
    return [{ path, problem: message('modes.problem.unreadable', { reason: unreadable }) }];
  return parsed.problems.map((problem) => ({ path, ...problem }));
}

/** What stands in the prompt holds no characters that nobody sees. */
function seen(mode: ModeConfig): ModeConfig {
  const { whenToUse, description, customInstructions } = mode;
  return {
    ...mode,
    name: visible(mode.name),
    roleDefinition: visible(mode.roleDefinition),
    ...(whenToUse === undefined ? {} : { whenToUse: visible(whenToUse) }),
    ...(description === undefined ? {} : { description: visible(description) }),
    ...(customInstructions === undefined ? {} : { customInstructions: visible(customInstructions) }),
  };
}
