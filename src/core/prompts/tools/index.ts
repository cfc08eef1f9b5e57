import { z } from 'zod';
import type { ToolName } from '../../../shared/tools.ts';
import type { NativeTool } from '../../provider/Provider.ts';
import type { BaseTool, DescribeArguments, ToolDescription } from '../../tools/BaseTool.ts';

/** The tools of a mode as XML help: name, purpose, parameters, one example each. */
export function getToolDescriptionsForMode(tools: readonly BaseTool[], args: DescribeArguments): string {
  return tools.map((tool) => xmlHelp(tool.name, tool.describe(args), tool.schema)).join('\n\n');
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
  { purpose, parameters, xmlParameters, example }: ToolDescription,
  schema: z.ZodObject,
): string {
  const rows = Object.entries(xmlParameters ?? parameters).map(
    ([param, words]) =>
      `- ${param}${isOptional(schema, param) || words.includes('optional') ? '' : ' (required)'}: ${words}`,
  );
  return [`## ${name}`, purpose, ...rows, example].join('\n');
}

function isOptional(schema: z.ZodObject, param: string): boolean {
  const field: unknown = schema.shape[param];
  return (
    field instanceof z.ZodType &&
    field.safeParse(undefined).success &&
    param !== 'args' &&
    param !== 'follow_up'
  );
}

/** A flat JSON schema object: only what is offered, each parameter with its words, nothing of zod's own. */
function parametersOf(schema: z.ZodObject, { parameters }: ToolDescription): Record<string, unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const offered = Object.entries(parameters);
  const properties = Object.fromEntries(
    offered.map(([name, description]) => [name, { ...plain(json.properties?.[name] ?? {}), description }]),
  );
  const required = (json.required ?? []).filter((name) => name in properties);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Limits that only confuse a model are left out; they are checked when the call is decoded. */
function plain(property: Record<string, unknown>): Record<string, unknown> {
  const { minLength, maximum, minimum, exclusiveMinimum, maxItems, ...rest } = property;
  return rest;
}
