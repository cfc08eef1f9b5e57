import { basename } from 'node:path';
import type { FileProblem, SlashCommand } from '../../shared/customModes.ts';
import type { ContentOrigin, Image } from '../../shared/events.ts';
import { message, type Message } from '../../shared/strings.ts';
import { reasonOf, visible, type AgentFolder } from '../context/AgentFolder.ts';
import { parseCommand, withArguments } from './parseCommand.ts';

/** Where a workspace's commands stand, ours first, then the peers'. */
const PROJECT_FOLDERS = ['.lathe/commands', '.kilocode/workflows', '.roo/commands'];
const GLOBAL_FOLDERS = ['commands'];
/** Bytes of one file. */
const LARGEST_FILE = 64 * 1024;
const MOST_COMMANDS = 200;
const PATIENCE = 10_000;
/** `/name`, with the file's ending or without, and what follows. */
const CALL = /^\/([A-Za-z0-9][\w-]*)(?:\.md)?(?:\s+([^]*))?$/;

export interface SlashCommandsOptions {
  /** LATHE_HOME. */
  person: AgentFolder;
  /** The workspace's folder, where its files may define commands; undefined where they may not. */
  project: (cwd: string) => AgentFolder | undefined;
}

/** A command with the words that it stands for. */
export interface KnownCommand extends SlashCommand {
  /** The folder that it was read from, and the file in it. */
  folder: AgentFolder;
  origin: string;
  body: string;
}

/** A message that calls a command, as the model reads it. */
export interface ExpandedCommand {
  name: string;
  text: string;
  mode?: string;
  /** Where its words come from, when it is not a file. */
  origin?: ContentOrigin;
  /** Pictures that belong to its words. */
  images?: Image[];
  /** Why it stands for nothing, for the person. */
  problem?: Message;
}

/** The commands that files define: `/name` in a message. Read anew each time: a file that is saved counts at once. */
export class SlashCommands {
  readonly #options: SlashCommandsOptions;

  constructor(options: SlashCommandsOptions) {
    this.#options = options;
  }

  /** By name; of several of one name the first counts, the workspace's before the person's. */
  async read(cwd: string | undefined): Promise<{ commands: KnownCommand[]; problems: FileProblem[] }> {
    const project = cwd === undefined ? undefined : this.#options.project(cwd);
    const places = [
      ...(project ? PROJECT_FOLDERS.map((origin) => ({ folder: project, origin })) : []),
      ...GLOBAL_FOLDERS.map((origin) => ({ folder: this.#options.person, origin })),
    ];
    const commands = new Map<string, KnownCommand>();
    const problems: FileProblem[] = [];
    for (const { folder, origin } of places) {
      try {
        for (const file of (await folder.origins(origin, /\.md$/i)).slice(0, MOST_COMMANDS))
          await this.#readOne(folder, file, commands, problems);
      } catch (error) {
        problems.push(unreadable(folder.path(origin), error));
      }
    }
    const byName = (a: KnownCommand, b: KnownCommand): number => (a.name < b.name ? -1 : 1);
    return { commands: [...commands.values()].sort(byName), problems };
  }

  async list(cwd: string | undefined): Promise<{ commands: SlashCommand[]; problems: FileProblem[] }> {
    const { commands, problems } = await this.read(cwd);
    return { commands: commands.map(({ folder, origin, body, ...command }) => command), problems };
  }

  /** What the message stands for; undefined when it calls no command that there is. */
  async expand(cwd: string | undefined, text: string): Promise<ExpandedCommand | undefined> {
    const call = CALL.exec(text.trim());
    if (!call) return undefined;
    const [, name = '', given = ''] = call;
    const command = (await this.read(cwd)).commands.find((one) => one.name === name);
    return command && expanded(command, given.trim());
  }

  async #readOne(
    folder: AgentFolder,
    origin: string,
    commands: Map<string, KnownCommand>,
    problems: FileProblem[],
  ): Promise<void> {
    const path = folder.path(origin);
    const name = nameOf(origin);
    if (name === '') {
      problems.push({ path, problem: message('slash.problem.name') });
      return;
    }
    if (commands.has(name)) return;
    try {
      const found = await folder.text(origin, LARGEST_FILE, AbortSignal.timeout(PATIENCE));
      if (!found) return;
      const { problem, body, ...head } = parseCommand(visible(found.text));
      if (problem) problems.push({ path, ...problem });
      if (body === '') problems.push({ path, problem: message('slash.problem.empty') });
      else commands.set(name, { name, ...head, source: folder.scope, path, folder, origin, body });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  }
}

/** The command as the model reads it. */
function expanded({ name, mode, body }: KnownCommand, given: string): ExpandedCommand {
  const text = `I call the command /${name}, which stands for this:\n\n${withArguments(body, given)}`;
  return { name, text, ...(mode === undefined ? {} : { mode }) };
}

/** The file's name as it can be written behind a slash. */
function nameOf(origin: string): string {
  return basename(origin)
    .replace(/\.md$/i, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '');
}

function unreadable(path: string, error: unknown): FileProblem {
  return { path, problem: message('modes.problem.unreadable', { reason: reasonOf(error) }) };
}
