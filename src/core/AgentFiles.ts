import { SlashCommands } from './commands/SlashCommands.ts';
import type { AgentFolder } from './context/AgentFolder.ts';
import { AgentFolders } from './context/AgentFolders.ts';
import { AgentWatch } from './context/AgentWatch.ts';
import { listRules } from './context/rules.ts';
import { ProtocolError, type Handlers } from './Dispatcher.ts';
import type { FileHost } from './host/Host.ts';
import type { Logger } from './Logger.ts';
import { Modes } from './modes/Modes.ts';
import type { SettingsStore } from './SettingsStore.ts';
import { message } from '../shared/strings.ts';
import type { ModeConfig } from '../shared/modes.ts';
import type { RuleRow } from '../shared/customModes.ts';

export interface AgentFilesOptions {
  /** LATHE_HOME. */
  home: string;
  files: FileHost;
  settings: SettingsStore;
  logger: Logger;
  cwd: () => string | undefined;
  /** Whether what the workspace says about how to work is read. */
  trusted: () => boolean;
  /** Whether its files may define modes and commands. */
  trustsProject: () => boolean;
  /** Hears that a file, or what the person said of one, may have changed. */
  changed: () => void;
}

type Method = Exclude<
  Extract<keyof Handlers, `mode/${string}` | `rule/${string}` | 'command/list'>,
  'mode/set'
>;

/** What people write for agents in files: modes, slash commands and rules, of each workspace and the person's own. */
export class AgentFiles {
  readonly folders: AgentFolders;
  readonly modes: Modes;
  readonly commands: SlashCommands;
  readonly #options: AgentFilesOptions;
  readonly #watch: AgentWatch;

  constructor(options: AgentFilesOptions) {
    this.#options = options;
    this.folders = new AgentFolders(options.home, options.files);
    const { person } = this.folders;
    const project = (cwd: string): AgentFolder | undefined =>
      options.trustsProject() ? this.folders.project(cwd) : undefined;
    this.modes = new Modes({ person, project, settings: options.settings });
    this.commands = new SlashCommands({ person, project });
    this.#watch = new AgentWatch(options.home, options.changed, (error) =>
      options.logger.warn(`files for agents are not watched: ${String(error)}`),
    );
  }

  async rulesOff(): Promise<readonly string[]> {
    return (await this.#options.settings.read()).rulesOff;
  }

  /** The modes of the folder that is open, read anew; from now on changes are told. */
  async list(): Promise<readonly ModeConfig[]> {
    const cwd = this.#options.cwd();
    if (cwd !== undefined) this.#watch.add(cwd);
    return await this.modes.list(cwd);
  }

  dispose(): void {
    this.#watch.dispose();
  }

  get handlers(): Pick<Handlers, Method> {
    const { modes, commands } = this;
    const { cwd, changed } = this.#options;
    return {
      'mode/list': async () => [...(await this.list())],
      'mode/overview': async () => await modes.overview(cwd()),
      'mode/save': async ({ scope, mode, replaces }) => {
        await modes.save(cwd(), scope, mode, replaces);
        changed();
        return {};
      },
      'mode/delete': async ({ scope, slug }) => {
        await modes.delete(cwd(), scope, slug);
        changed();
        return {};
      },
      'mode/consent': async ({ slug, hash, agreed }) => {
        await modes.consent(cwd(), slug, hash, agreed);
        changed();
        return {};
      },
      'mode/export': async ({ slug }) => await modes.export(cwd(), slug),
      'mode/import': async ({ scope, text }) => {
        const imported = await modes.import(cwd(), scope, text);
        changed();
        return imported;
      },
      'command/list': async () => await commands.list(cwd()),
      'rule/list': async () => await this.#rules(),
      'rule/set': async ({ path, on }) => {
        if (!(await this.#rules()).some((rule) => rule.path === path))
          throw new ProtocolError('not_found', message('modes.error.unknownRule'));
        await this.#options.settings.change((settings) => ({
          ...settings,
          rulesOff: [...settings.rulesOff.filter((off) => off !== path), ...(on ? [] : [path])],
        }));
        changed();
        return {};
      },
    };
  }

  async #rules(): Promise<RuleRow[]> {
    const cwd = this.#options.cwd();
    const query = { off: await this.rulesOff(), signal: AbortSignal.timeout(10_000) };
    const ofProject = cwd !== undefined && this.#options.trusted();
    return [
      ...(ofProject ? await listRules(this.folders.project(cwd), query) : []),
      ...(await listRules(this.folders.person, query)),
    ];
  }
}
