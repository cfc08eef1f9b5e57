import { findMentions, mentionOf } from '../../../src/shared/mention.ts';

/** What is being completed: the mark and the letters after it, where they stand, up to the caret. */
export interface Trigger {
  kind: 'mention' | 'command' | 'argument';
  query: string;
  /** Of the mark, in the text. */
  start: number;
  end: number;
}

/**
 * `@` begins a mention where no word or address goes on, or after `@"`; `/` a command where nothing else was written. Behind a
 * command that names a server's prompt each word is an argument.
 */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([\w.:-]*)$/.exec(before);
  if (command && text.trim() === before)
    return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  // A prompt of a server: its arguments follow, of which a mention is none.
  const argument = /^\/[\w.-]+:[\w.-]+\s(?:[^]*\s)?((?:[\w.-]+=)?(?:"[^"\n]*|[^\s"@]*))$/.exec(before);
  if (argument && text.trimEnd() === before.trimEnd()) {
    const query = argument[1] ?? '';
    return { kind: 'argument', query, start: caret - query.length, end: caret };
  }
  const mention =
    /(?:^|[\s([{（【《「『“，。；：！？、\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])@("[^"\n]*|[^\s@"]*)$/u.exec(
      before,
    );
  const written = mention?.[1];
  if (written === undefined) return undefined;
  return { kind: 'mention', query: written.replace(/^"/, ''), start: caret - written.length - 1, end: caret };
}

/** A path as a mention that cannot be taken for a word. */
export function certainMention(path: string, part?: Parameters<typeof mentionOf>[1]): string {
  const mention = mentionOf(path, part);
  const target = findMentions(mention)[0]?.target;
  return target?.kind === 'path' && !target.certain ? mentionOf(`./${path}`, part) : mention;
}

/** The text with the trigger replaced, and where the caret goes. Behind a mention that is not at its end there is no space. */
export function complete(
  text: string,
  { start, end }: Trigger,
  replacement: string,
  open = false,
): { text: string; caret: number } {
  const after = text.slice(end).replace(/^ /, '');
  const inserted = replacement === '' || open ? replacement : `${replacement} `;
  return { text: text.slice(0, start) + inserted + after, caret: start + inserted.length };
}
