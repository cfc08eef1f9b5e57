import type { BaseTool, ToolDescription } from '../../src/core/tools/BaseTool.ts';
import { tools } from '../../src/core/tools/index.ts';
import { builtInModes } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { TOOL_GROUPS, toolGroupNames, toolNames, type ToolName } from '../../src/shared/tools.ts';

/** What was seen of one tool, in words for the table. */
export interface ToolCells {
  same?: string;
  missing?: string;
  wrong?: string;
  hostile?: string;
  no?: string;
  stop?: string;
  middle?: string;
  mode?: string;
}

const HEAD = `# The tools

<!-- Written by \`npm run tools\`, from the tools' own descriptions and from what their tests saw. -->

What a model can call. A mode grants groups of tools; a call of a tool that its mode does not grant is refused. A tool
that is not offered by itself is run when a model calls it that knows it from elsewhere, and offered where a setting
asks for it. Names and parameters are the same in XML and as native functions.

`;

/** The page of all tools: what each is for, its parameters, and what happens to calls that are wrong, refused or stopped. */
export function toolsPage(cells: ReadonlyMap<ToolName, ToolCells>): string {
  const sections = [
    ...toolGroupNames.map((group) => ({
      title: `Group ${group}`,
      names: toolNames.filter((name) => groupOf(name) === group),
    })),
    { title: 'Always there', names: toolNames.filter((name) => groupOf(name) === undefined) },
  ];
  const text = sections
    .filter(({ names }) => names.length > 0)
    .map(({ title, names }) => `## ${title}\n\n${names.map(sectionOf).join('\n\n')}`)
    .join('\n\n');
  return `${HEAD}${text}\n\n${tableOf(cells)}\n`;
}

function groupOf(name: ToolName): string | undefined {
  const tool: BaseTool = tools[name];
  return tool.group;
}

function sectionOf(name: ToolName): string {
  const description = describe(name, 'native');
  const { xmlParameters = {} } = describe(name, 'xml');
  const all = { ...description.parameters, ...xmlParameters };
  const rows = Object.entries(all).map(([parameter, words]) => `| \`${parameter}\` | ${cell(words)} |`);
  const table = rows.length === 0 ? '' : `\n\n| Parameter | |\n|---|---|\n${rows.join('\n')}`;
  const custom = toolGroupNames.some((group) => TOOL_GROUPS[group].customTools?.includes(name));
  return `### ${name}\n\n${custom ? '_Not offered by itself._ ' : ''}${prose(description.purpose)}${table}`;
}

function describe(name: ToolName, protocol: 'xml' | 'native'): ToolDescription {
  const tool: BaseTool = tools[name];
  return tool.describe({
    protocol,
    settings: editorSettingsSchema.parse({}),
    singleFileRead: false,
    modes: [...builtInModes],
  });
}

function tableOf(cells: ReadonlyMap<ToolName, ToolCells>): string {
  const rows = toolNames.map((name) => {
    const { same, missing, wrong, hostile, no, stop, middle, mode } = cells.get(name) ?? {};
    return `| ${[name, same, missing, wrong, hostile, no, stop, middle, mode].map((one) => one ?? '').join(' | ')} |`;
  });
  return `## What happens to a call

Each cell is what [the test of every tool](../test/tools/everyTool.test.ts) saw. _Same_: parameters that decode to the same
from XML and from a native call. _Missing_, _wrong kind_: calls that were answered
with what to do instead. _Hostile_: values that were refused or, where they are no error, shown to the person as they
are before anything was done with them.
_After a no_ and _after a stop_ while it asks: what was found changed. _Stopped in the middle_: what is left of a call that was
stopped right before and right after each thing it asked of its machine. _Not granted_: in a mode without the tool's group.

| Tool | Same in XML | Missing | Wrong kind | Hostile | After a no | After a stop | Stopped in the middle | Not granted |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}`;
}

function cell(words: string): string {
  return prose(words).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Tags in a sentence are words about tags. */
function prose(words: string): string {
  return words.replace(/<\/?[a-z_]+>/g, (tag) => `\`${tag}\``);
}
