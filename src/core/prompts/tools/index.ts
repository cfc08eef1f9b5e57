import * as z from 'zod';
import type { ToolName } from '../../../shared/tools.ts';
import type { NativeTool } from '../../provider/Provider.ts';
import type { BaseTool, DescribeArguments, ToolDescription } from '../../tools/BaseTool.ts';

/** The tools of a mode as XML help: name, purpose, parameters, and one example each unless they stand elsewhere. */
export function getToolDescriptionsForMode(
  tools: readonly BaseTool[],
  args: DescribeArguments,
  { examples } = { examples: true },
): string {
  return tools
    .map((tool) => {
      const { example, ...description } = tool.describe(args);
      const help = xmlHelp(tool.name, description);
      return examples ? `${help}\n${example}` : help;
    })
    .join('\n\n');
}

/** The same tools as functions. Parameters that only XML has (nested forms) are left out. */
export function nativeTools(tools: readonly BaseTool[], args: DescribeArguments): NativeTool[] {
  return tools.map((tool) => {
    const description = tool.describe(args);
    return {
      name: tool.name,
      description: description.purpose,
      parameters: parametersOf(tool.schema, description),
    };
  });
}

function xmlHelp(
  name: ToolName,
  { purpose, parameters, xmlParameters }: Omit<ToolDescription, 'example'>,
): string {
  const rows = Object.entries(xmlParameters ?? parameters).map(
    ([param, words]) => `- ${param}${isLeftOut(words) ? '' : ' (required)'}: ${words}`,
  );
  return [`## ${name}`, purpose, ...rows].join('\n');
}

/** A parameter's words say themselves when it can be left out: they begin so. */
function isLeftOut(words: string): boolean {
  return /^(optional|instead of)\b/.test(words);
}

/** A flat JSON schema object: only what is offered, each parameter with its words, nothing of zod's own. */
function parametersOf(
  schema: z.ZodObject,
  { parameters, example }: ToolDescription,
): Record<string, unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const offered = Object.entries(parameters);
  const properties = Object.fromEntries(
    offered.map(([name, words]) => {
      const property = plain(json.properties?.[name] ?? {});
      return [
        name,
        { ...property, description: words + (property.type === 'string' ? shapeOf(name, example) : '') },
      ];
    }),
  );
  // Where one parameter stands in for another, neither is required by itself.
  const alternatives = offered.some(([, words]) => words.startsWith('instead of'));
  const required = offered
    .filter(([name, words]) => json.required?.includes(name) === true || (!alternatives && !isLeftOut(words)))
    .map(([name]) => name);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** A text of several lines has a shape that words do not show: the example's. */
function shapeOf(name: string, example: string): string {
  const value = new RegExp(`<${name}>\\n([^]*)\\n</${name}>`).exec(example)?.[1];
  return value?.includes('\n') === true ? `. For example:\n${value}` : '';
}

/** Limits that only confuse a model are left out; they are checked when the call is decoded. */
function plain(property: Record<string, unknown>): Record<string, unknown> {
  const { minLength, maximum, minimum, exclusiveMinimum, maxItems, ...rest } = property;
  return rest;
}
