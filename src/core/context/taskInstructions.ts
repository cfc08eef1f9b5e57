import type { SlashCommands } from '../commands/SlashCommands.ts';
import type { RuleFiles } from '../prompts/sections/ruleFiles.ts';
import type { TaskContext } from '../tools/TaskContext.ts';
import type { AgentFolder } from './AgentFolder.ts';
import type { AgentFolders } from './AgentFolders.ts';
import type { Logger } from '../Logger.ts';
import { readRules, ruleText, type Rules, type RulesQuery } from './rules.ts';
import type { SlashCommand } from '../../shared/customModes.ts';

/** Milliseconds that reading may take. */
const PATIENCE = 10_000;
const NONE: Rules = { rules: [], tooLong: [], problems: [] };

export interface TaskInstructionsOptions {
  cwd: string;
  agentFolders: AgentFolders;
  commands: SlashCommands;
  logger: Logger;
  /** Absolute paths of files of rules that the model is not given. */
  rulesOff: () => Promise<readonly string[]>;
  /** What the project says about how to work is read only in a trusted workspace. */
  trusted: () => boolean;
}

type Instructions = TaskContext['instructions'];

/** What people wrote for agents, as one turn of a task sees it. */
export interface TaskInstructions {
  /** For the prompt; read once a turn and mode, so that the beginning of its requests stays the same. */
  rulesOf(mode: string): Promise<RuleFiles>;
  rule(name: string, mode: string): ReturnType<Instructions['rule']>;
  commands(): Promise<readonly SlashCommand[]>;
  command: Instructions['command'];
}

export function taskInstructions(options: TaskInstructionsOptions): TaskInstructions {
  const { cwd, agentFolders: folders, commands, logger } = options;
  const known = new Map<string, Promise<RuleFiles>>();
  const query = async (mode: string): Promise<RulesQuery> => ({
    mode,
    off: await options.rulesOff(),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const places = (): AgentFolder[] => [...(options.trusted() ? [folders.project(cwd)] : []), folders.person];
  const read = async (mode: string): Promise<RuleFiles> => {
    const asked = await query(mode);
    const project = options.trusted() ? await readRules(folders.project(cwd), asked) : NONE;
    const person = await readRules(folders.person, asked);
    for (const problem of [...project.problems, ...person.problems]) logger.warn(`rules: ${problem}`);
    return {
      projectRules: project.rules,
      personalRules: person.rules,
      tooLong: { project: project.tooLong, personal: person.tooLong },
    };
  };
  return {
    rulesOf: async (mode) => {
      const reading = known.get(mode) ?? read(mode);
      known.set(mode, reading);
      return await reading;
    },
    rule: async (name, mode) => {
      for (const folder of places()) {
        const text = await ruleText(folder, name, await query(mode));
        if (text === undefined) continue;
        return { text, ...(folder.scope === 'project' ? { path: name } : {}) };
      }
      return undefined;
    },
    commands: async () => (await commands.list(cwd)).commands,
    command: async (name) => {
      const found = (await commands.read(cwd)).commands.find((one) => one.name === name);
      if (!found) return undefined;
      const { body: text, mode, argumentHint, folder, origin } = found;
      return {
        text,
        ...(folder.scope === 'project' ? { path: origin } : {}),
        ...(mode === undefined ? {} : { mode }),
        ...(argumentHint === undefined ? {} : { argumentHint }),
      };
    },
  };
}
