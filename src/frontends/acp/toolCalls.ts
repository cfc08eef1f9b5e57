import type { ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk';
import { isAbsolute, resolve } from 'node:path';
import { translate, message, type Locale } from '../../shared/strings.ts';
import type { ResultContent, ToolDetails, ToolView } from '../../shared/tools.ts';
import type { FileChange } from './FileChanges.ts';

/** Characters of a card's title. */
const TITLE = 160;

/** What a card says at the top: the verb and its object; a command as it is. */
export function titleOf(tool: string, { kind, subject }: ToolView, locale: Locale): string {
  if (kind === 'execute' && subject !== '') return clip(subject);
  const key = `webview.tool.${tool}.base`;
  const verb = translate(locale, { key });
  const words = verb === key ? translate(locale, message('webview.tool.other.base', { tool })) : verb;
  return clip(`${words} ${subject}`.trim());
}

export function locationsOf({ locations }: ToolView, cwd: string): ToolCallLocation[] {
  return locations.map(({ path, line }) => ({
    path: absolute(path, cwd),
    ...(line === undefined ? {} : { line }),
  }));
}

export function diffContent(changes: readonly FileChange[]): ToolCallContent[] {
  return changes.map((change) => ({ type: 'diff', ...change }));
}

export function outputContent(output: string): ToolCallContent[] {
  return output === '' ? [] : [textContent(fenced(output))];
}

/**
 * What a card holds below its title: the changes whole where they are known, else as the patch tells; a command's output; for all
 * others what the model is told.
 */
export function contentOf(
  details: ToolDetails | undefined,
  content: readonly ResultContent[],
  { cwd, changes, failed }: { cwd: string; changes: readonly FileChange[]; failed: boolean },
): ToolCallContent[] {
  const told = content.map((part): ToolCallContent =>
    part.type === 'text'
      ? textContent(failed ? part.text : fenced(part.text))
      : { type: 'content', content: { type: 'image', mimeType: part.mediaType, data: part.data } },
  );
  if (failed) return told;
  if (changes.length > 0) return diffContent(changes);
  if (details?.type === 'diff') return diffContent(changesOf(details, cwd));
  if (details?.type === 'command') return outputContent(details.output);
  return told;
}

/** A patch as changes: each of its hunks as it was and as it is. */
export function changesOf(
  { path, patch, created }: Extract<ToolDetails, { type: 'diff' }>,
  cwd: string,
): FileChange[] {
  return patch.split(/^@@ .*\n?/m).flatMap((hunk): FileChange[] => {
    const lines = hunk === '' ? [] : hunk.replace(/\n$/, '').split('\n');
    const side = (marks: string): string =>
      lines.map((line) => (marks.includes(line.charAt(0)) ? `${line.slice(1)}\n` : '')).join('');
    if (lines.length === 0) return [];
    return [{ path: absolute(path, cwd), oldText: created ? null : side(' -'), newText: side(' +') }];
  });
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Text as it is: a fence longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function clip(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  const characters = Array.from(line);
  const cut = characters.length > TITLE || line !== text;
  return cut ? `${characters.slice(0, TITLE).join('')}…` : line;
}
