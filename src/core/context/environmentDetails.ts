import type { TodoItem } from '../../shared/tools.ts';

/** What changes from request to request. Nothing here reads a file. */
export interface EnvironmentFacts {
  now: Date;
  modeName: string;
  visibleFiles: readonly string[];
  openTabs: readonly string[];
  todos: readonly TodoItem[];
  /** Entries of the workspace root, for the first message only. */
  rootEntries?: readonly string[];
}

const MOST_TABS = 20;
const MOST_ENTRIES = 100;
const MARKS = { pending: ' ', in_progress: '-', completed: 'x' } as const;

/**
 * The volatile block at the end of the last user message; undefined when the model has seen the same before. The time is in it, but
 * a later time alone is no change.
 */
export function environmentDetails(
  facts: EnvironmentFacts,
  previous: string | undefined,
): string | undefined {
  const body = [
    `Mode: ${facts.modeName}`,
    ...list('Visible in the editor', facts.visibleFiles, MOST_TABS),
    ...list('Open tabs', facts.openTabs, MOST_TABS),
    ...(facts.todos.length === 0
      ? []
      : ['Todo list:', ...facts.todos.map(({ text, status }) => plainLine(`[${MARKS[status]}] ${text}`))]),
    ...(facts.rootEntries ? list('Workspace root', facts.rootEntries, MOST_ENTRIES) : []),
  ].join('\n');
  // The root is listed once; that it is missing later is no change.
  const same =
    facts.rootEntries === undefined && previous !== undefined && withoutTimeAndRoot(previous) === body;
  return same ? undefined : `<environment>\nTime: ${time(facts.now)}\n${body}\n</environment>`;
}

function list(title: string, entries: readonly string[], most: number): string[] {
  if (entries.length === 0) return [];
  const more = entries.length > most ? [`(and ${entries.length - most} more)`] : [];
  return [`${title}:`, ...entries.slice(0, most).map(plainLine), ...more];
}

/** A file's name is anybody's: it stays one line, below its title, and does not end the block. */
function plainLine(entry: string): string {
  return `  ${entry.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?').replaceAll('</', '<\\/')}`;
}

function withoutTimeAndRoot(block: string): string {
  const lines = block.split('\n').slice(2, -1);
  const root = lines.indexOf('Workspace root:');
  return (root === -1 ? lines : lines.slice(0, root)).join('\n');
}

function time(now: Date): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = -now.getTimezoneOffset();
  const local = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 16).replace('T', ' ');
  const sign = offset < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  return `${local} (${zone}, UTC${sign}${hours}:${String(Math.abs(offset) % 60).padStart(2, '0')})`;
}
