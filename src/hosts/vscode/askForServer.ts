import * as vscode from 'vscode';
import * as z from 'zod';
import type { ElicitAnswer, ElicitRequest } from '../../services/mcp/ServerRequests.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

/** A field of the flat schemas that servers may ask with. What is not known of it is not offered. */
const fieldSchema = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']).catch('string'),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  oneOf: z.array(z.object({ const: z.string(), title: z.string().optional() })).optional(),
  items: z
    .object({
      enum: z.array(z.string()).optional(),
      anyOf: z.array(z.object({ const: z.string(), title: z.string().optional() })).optional(),
    })
    .optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Field = z.infer<typeof fieldSchema>;
type Value = string | number | boolean | string[];

const formSchema = z.object({
  properties: z.record(z.string(), fieldSchema),
  required: z.array(z.string()).catch([]).default([]),
});

/**
 * Puts a server's question to the person in the editor's own dialogs: who asks and what, then field by field. Leaving any of them
 * answers nothing.
 */
export async function askForServer(
  request: ElicitRequest,
  signal: AbortSignal,
  locale: Locale,
): Promise<ElicitAnswer> {
  const ended = (): boolean => signal.aborted;
  const words = (key: Parameters<typeof message>[0], args?: Parameters<typeof message>[1]): string =>
    translate(locale, message(key, args));
  const [answer, decline] = [
    words(request.kind === 'url' ? 'vscode.mcp.openPage' : 'vscode.mcp.answer'),
    words('vscode.mcp.decline'),
  ];
  const detail = request.kind === 'url' ? `${request.message}\n\n${request.url}` : request.message;
  const chosen = await vscode.window.showInformationMessage(
    words('vscode.mcp.asks', { server: request.server }),
    { modal: true, detail },
    answer,
    decline,
  );
  if (ended() || chosen === undefined) return { action: 'cancel' };
  if (chosen === decline) return { action: 'decline' };
  if (request.kind === 'url') {
    const opened = await vscode.env.openExternal(vscode.Uri.parse(request.url, true));
    return { action: opened ? 'accept' : 'cancel' };
  }
  const form = formSchema.safeParse(request.schema);
  if (!form.success) return { action: 'cancel' };
  const content: Record<string, Value> = {};
  for (const [name, field] of Object.entries(form.data.properties)) {
    const value = await askField(name, field, form.data.required.includes(name), words);
    if (ended() || value === undefined) return { action: 'cancel' };
    if (value !== '') content[name] = value;
  }
  return { action: 'accept', content };
}

type Ask = (key: Parameters<typeof message>[0], args?: Parameters<typeof message>[1]) => string;

/** Undefined when the person left it; an empty text for a field that they left out. */
async function askField(
  name: string,
  field: Field,
  required: boolean,
  words: Ask,
): Promise<Value | undefined> {
  const title = field.title ?? name;
  const options = { title, placeHolder: field.description ?? title, ignoreFocusOut: true };
  const choices = choicesOf(field);
  if (field.type === 'boolean') {
    const [yes, no] = [words('vscode.mcp.yes'), words('vscode.mcp.no')];
    const picked = await vscode.window.showQuickPick(
      field.default === false ? [no, yes] : [yes, no],
      options,
    );
    return picked === undefined ? undefined : picked === yes;
  }
  if (field.type === 'array') {
    const picked = await vscode.window.showQuickPick(choices, { ...options, canPickMany: true });
    return picked?.map(({ value }) => value);
  }
  if (choices.length > 0) return (await vscode.window.showQuickPick(choices, options))?.value;
  const given = await vscode.window.showInputBox({
    ...options,
    prompt: field.description ?? '',
    value:
      typeof field.default === 'string' || typeof field.default === 'number' ? String(field.default) : '',
    validateInput: (text) => problemOf(text, field, required, words),
  });
  if (given === undefined || given === '' || field.type === 'string') return given;
  return Number(given);
}

function choicesOf({
  enum: names,
  oneOf,
  items,
}: Field): { label: string; description: string; value: string }[] {
  const titled = oneOf ?? items?.anyOf;
  if (titled)
    return titled.map(({ const: value, title }) => ({ label: title ?? value, description: value, value }));
  return (names ?? items?.enum ?? []).map((value) => ({ label: value, description: '', value }));
}

function problemOf(text: string, field: Field, required: boolean, words: Ask): string | undefined {
  if (text === '') return required ? words('vscode.mcp.required') : undefined;
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity } = field;
  if (field.type === 'string')
    return text.length < minLength || text.length > maxLength
      ? words('vscode.mcp.length', { least: minLength, most: String(maxLength) })
      : undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || (field.type === 'integer' && !Number.isInteger(number)))
    return words('vscode.mcp.number');
  return number < minimum || number > maximum
    ? words('vscode.mcp.range', { least: String(minimum), most: String(maximum) })
    : undefined;
}
