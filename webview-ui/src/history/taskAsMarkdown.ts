import type { TaskView, ToolItem, ViewItem } from '../../../src/shared/viewItems.ts';
import type { Words } from '../useSession.ts';
import { resultText } from '../chat/PlainBody.tsx';
import { stateWord, verb } from '../chat/toolWords.ts';

/** The conversation as a person would keep it: what was said, what was done, and every change as a diff. */
export function taskAsMarkdown(words: Words, view: TaskView): string {
  const parts = [`# ${view.title === '' ? words('webview.untitled') : view.title}`];
  for (const item of view.items) {
    const part = partOf(words, item);
    if (part !== '') parts.push(part);
  }
  return `${parts.join('\n\n')}\n`;
}

function partOf(words: Words, item: ViewItem): string {
  switch (item.type) {
    case 'user':
      return item.automatic ? '' : `## ${words('webview.export.you')}\n\n${item.text}`;
    case 'text':
      return item.text;
    case 'tool':
      return partOfCall(words, item);
    case 'completion':
      return `## ${words('webview.completed')}\n\n${item.result}`;
    case 'condensed':
      return `> ${item.summary.replaceAll('\n', '\n> ')}`;
    case 'error':
    case 'notice':
      return `> ${words.of(item.message)}`;
    case 'reasoning':
    case 'mode':
    case 'model':
    case 'ended':
      return '';
  }
}

function partOfCall(words: Words, item: ToolItem): string {
  if (item.tool === 'attempt_completion' && item.state === 'done') return '';
  const subject = item.view.subject === '' ? '' : ` ${fenced(item.view.subject, '`')}`;
  const head = `- **${verb(words, item)}**${subject}: ${stateWord(words, item.state)}`;
  const parts = [head];
  if (item.feedback !== undefined) parts.push(`> ${words('webview.youSaid', { text: item.feedback })}`);
  const { details } = item;
  if (details?.type === 'diff') parts.push(block(details.patch, 'diff'));
  else if (details?.type === 'command' && details.output.trim() !== '')
    parts.push(block(details.output.trimEnd(), ''));
  else if (item.state === 'failed') parts.push(block(resultText(item), ''));
  return parts.join('\n\n');
}

function block(text: string, language: string): string {
  const fence = longerThan(text, '`', 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

function fenced(text: string, mark: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  const fence = longerThan(line, mark, 1);
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** One mark more than the longest run in the text, so that it cannot end the block. */
function longerThan(text: string, mark: string, least: number): string {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === mark ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return mark.repeat(Math.max(least, longest + 1));
}
