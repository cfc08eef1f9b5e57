/** What is being completed: the mark and the letters after it, where they stand, up to the caret. */
export interface Trigger {
  kind: 'mention' | 'command';
  query: string;
  /** Of the mark, in the text. */
  start: number;
  end: number;
}

/** `@` begins a mention after a space or at the start of a line; `/` a command where nothing else was written. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command && text.trim() === before)
    return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  const mention = /(?:^|\s)@([^\s@"]*)$/.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? '';
  return { kind: 'mention', query, start: caret - query.length - 1, end: caret };
}

/** A path as it stands in a message. */
export function mentionOf(path: string): string {
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

/** The text with the trigger replaced, and where the caret goes. */
export function complete(
  text: string,
  { start, end }: Trigger,
  replacement: string,
): { text: string; caret: number } {
  const after = text.slice(end).replace(/^ /, '');
  const inserted = replacement === '' ? '' : `${replacement} `;
  return { text: text.slice(0, start) + inserted + after, caret: start + inserted.length };
}
