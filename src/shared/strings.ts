import * as z from 'zod';
import { acpStrings } from './strings/acp.ts';
import { changeStrings } from './strings/changes.ts';
import { checkpointStrings } from './strings/checkpoints.ts';
import { commandStrings } from './strings/commands.ts';
import { contextStrings } from './strings/context.ts';
import { approvalStrings } from './strings/approval.ts';
import { composerStrings } from './strings/composer.ts';
import { coreStrings } from './strings/core.ts';
import { mcpStrings } from './strings/mcp.ts';
import { mcpScreenStrings } from './strings/mcpScreen.ts';
import { modesStrings } from './strings/modes.ts';
import { mentionStrings } from './strings/mentions.ts';
import { noteStrings } from './strings/notes.ts';
import { replayStrings } from './strings/replay.ts';
import { providerStrings } from './strings/providers.ts';
import { subtaskStrings } from './strings/subtasks.ts';
import { sandboxStrings } from './strings/sandbox.ts';
import { serverStrings } from './strings/server.ts';
import { toolStrings } from './strings/tools.ts';
import { webviewStrings } from './strings/webview.ts';
import { webviewScreenStrings } from './strings/webviewScreens.ts';
import { webviewSettingsStrings } from './strings/webviewSettings.ts';
import { webStrings } from './strings/web.ts';
import { vscodeStrings } from './strings/vscode.ts';

/**
 * Every sentence that a person reads, in both languages: key → [English, Simplified Chinese].
 * `{name}` stands for an argument, `{name|line|lines}` for the first word when it is 1 and for the second otherwise. One file a room under strings/, so that each room's words are together.
 */
const strings = {
  ...approvalStrings,
  ...composerStrings,
  ...changeStrings,
  ...coreStrings,
  ...checkpointStrings,
  ...commandStrings,
  ...contextStrings,
  ...mcpStrings,
  ...mcpScreenStrings,
  ...modesStrings,
  ...noteStrings,
  ...mentionStrings,
  ...providerStrings,
  ...replayStrings,
  ...subtaskStrings,
  ...webviewStrings,
  ...webviewScreenStrings,
  ...webviewSettingsStrings,
  ...vscodeStrings,
  ...webStrings,
  ...acpStrings,
  ...sandboxStrings,
  ...serverStrings,
  ...toolStrings,
};

export type StringKey = keyof typeof strings;
export const locales = ['en', 'zh-cn'] as const;
export type Locale = (typeof locales)[number];

/** A sentence for a person that crosses a boundary as data; each front end puts it into its reader's language. */
export const messageSchema = z.object({
  key: z.string(),
  args: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type Message = z.infer<typeof messageSchema>;
export type MessageArguments = Record<string, string | number>;

export function message(key: StringKey, args?: MessageArguments): Message {
  return args === undefined ? { key } : { key, args };
}

const PLACE = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

/** The sentence in that language. A key that this version does not know (an older journal) is shown as it is. */
export function translate(locale: Locale, { key, args }: Message): string {
  const row = (strings as Record<string, readonly [string, string]>)[key];
  const text = row === undefined ? key : row[locale === 'zh-cn' ? 1 : 0];
  return text.replace(PLACE, (whole, name: string, one: string | undefined, many: string | undefined) => {
    const value = args?.[name];
    if (one !== undefined && many !== undefined) return Number(value) === 1 ? one : many;
    return value === undefined ? whole : String(value);
  });
}

/** `zh`, `zh-CN`, `zh-Hans-CN`… → Simplified Chinese; anything else → English. */
export function localeOf(language: string): Locale {
  return /^zh\b(?!.*-(tw|hk|mo|hant))/i.test(language) ? 'zh-cn' : 'en';
}
