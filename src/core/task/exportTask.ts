import type { JournalEntry } from '../../shared/events.ts';
import type { ResultContent, ToolUse } from '../../shared/tools.ts';
import { stateOf } from './taskState.ts';

type ExportFormat = 'markdown' | 'json';

/**
 * A task as one text for people (markdown: what was said, called and answered, in order) or for programs (JSON: the journal's
 * entries), and a file name made from its date and title. Its subtasks come behind it, in the order in which they were begun.
 */
export function exportTask(
  entries: readonly JournalEntry[],
  format: ExportFormat,
  subtasks: readonly (readonly JournalEntry[])[] = [],
): { name: string; text: string } {
  const { title, createdAt } = stateOf(entries);
  const date = new Date(createdAt).toISOString().slice(0, 10);
  // Letters and digits of any script; a name that every file system takes.
  const slug = title
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .toLowerCase();
  const name = `${date}-${slug === '' ? 'task' : slug}`;
  return format === 'json'
    ? {
        name: `${name}.json`,
        text: `${JSON.stringify({ format: 'lathe-task', version: 1, entries, ...(subtasks.length > 0 ? { subtasks } : {}) }, null, 2)}\n`,
      }
    : { name: `${name}.md`, text: [entries, ...subtasks].map(markdownOf).join('\n---\n\n') };
}

function markdownOf(entries: readonly JournalEntry[]): string {
  const { title, parent, cwd, model, createdAt, usage } = stateOf(entries);
  const facts = [
    `- Started: ${new Date(createdAt).toISOString()}`,
    `- Folder: \`${cwd}\``,
    ...(model ? [`- Model: ${model.model} (${model.provider})`] : []),
    `- Tokens: ${usage.inputTokens} in, ${usage.outputTokens} out`,
    ...(usage.cost === undefined ? [] : [`- Cost: $${usage.cost.toFixed(4)}`]),
  ];
  return `${[`# ${parent ? 'Subtask: ' : ''}${title}`, facts.join('\n'), ...entries.flatMap(partsOf)].join('\n\n')}\n`;
}

function partsOf(entry: JournalEntry): string[] {
  switch (entry.type) {
    case 'user_message': {
      if (entry.automatic === true) return [];
      const pictures = entry.images?.length ?? 0;
      const attached = (entry.attachments ?? []).map(({ name }) => `- ${name}`);
      return [
        '## Person',
        entry.text,
        ...(pictures > 0 ? [`(${pictures} pictures)`] : []),
        ...(attached.length > 0 ? [`Attached:\n${attached.join('\n')}`] : []),
      ];
    }
    case 'mentions_read':
      return [
        `Mentioned:\n${entry.mentions.map(({ mention, outcome }) => `- ${mention}: ${outcome}`).join('\n')}`,
      ];
    case 'assistant_message':
      return [
        '## Lathe',
        ...entry.content.flatMap((block) =>
          block.type === 'tool_use' ? [callOf(block)] : block.text.trim() === '' ? [] : [block.text.trim()],
        ),
      ];
    case 'tool_finished':
      return [
        `### ${entry.tool}: ${entry.outcome}`,
        ...(entry.feedback ? [`Feedback: ${entry.feedback}`] : []),
        ...entry.content.map(resultOf),
      ];
    case 'mode_changed':
      return [`*Mode: ${entry.mode}*`];
    case 'context_condensed':
      return ['### Condensed', entry.summary];
    case 'task_finished':
      return [`*${entry.reason}*`];
    default:
      return [];
  }
}

function callOf(block: ToolUse): string {
  const params = block.nativeArgs ?? block.params;
  return `**${block.name}**\n\n${fenced(JSON.stringify(params, null, 2), 'json')}`;
}

function resultOf(content: ResultContent): string {
  return content.type === 'text' ? fenced(content.text, '') : '(a picture)';
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
