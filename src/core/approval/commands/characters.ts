import { message, type Message } from '../../../shared/strings.ts';
import { piece } from './Reading.ts';

/** Characters of a command that a person still reads. */
export const LONGEST_COMMAND = 4096;

/**
 * Controls but tab, line feed and carriage return; what turns the direction of text; what has no width or no picture. The two
 * variation selectors of emoji are let through to the question that all other characters beyond ASCII get.
 */
const HIDDEN =
  /(?![\t\n\r\ufe0e\ufe0f])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\ufff9-\ufffb]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu');

/** Why a command is refused before any grammar reads it: it shows something else than it is. */
export function hiddenCharacters(command: string): Message | undefined {
  const first = HIDDEN.exec(command);
  if (!first) return undefined;
  const around = command.slice(Math.max(0, first.index - 20), first.index + 30);
  return message('command.hidden', { text: piece(escapeHidden(around)) });
}

/** The text with what cannot be seen written as codes, for a person to look at. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_ALL, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Why a command asks, whatever it says. */
export function doubtfulCharacters(command: string): Message[] {
  const found: Message[] = [];
  if (command.trim() === '') found.push(message('command.empty'));
  if (command.length > LONGEST_COMMAND)
    found.push(message('command.tooLong', { length: command.length, limit: LONGEST_COMMAND }));
  if (command.includes('\r')) found.push(message('command.carriageReturn'));
  // eslint would rather have no control characters in a class: the printable ones are named instead.
  const other = /[^\t\n\r -~]+/u.exec(command)?.[0];
  if (other !== undefined) found.push(message('command.notAscii', { text: piece(other) }));
  return found;
}
