import { message } from '../../../shared/strings.ts';
import { piece, type FoundCommand, type Reading } from './Reading.ts';

/**
 * The commands in a text for cmd.exe as far as they can be told apart without a grammar (there is no sound one): for the
 * explanation, and for what is denied. Carets and quotes are taken away, since they hide names.
 */
export function readCmd(text: string): Reading {
  const found: FoundCommand[] = [];
  const plain = text.replace(/\^\r?\n?/g, '');
  for (const part of plain.split(/[&|()\r\n]+/)) {
    const source = part.replace(/^[\s@]+|\s+$/g, '');
    if (source === '') continue;
    const words = [...source.replace(/[<>].*$/s, '').matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) =>
      /[%!]/.test(word) ? undefined : word.replaceAll('"', ''),
    );
    const unknown = words.includes(undefined) ? [message('command.variable', { text: piece(source) })] : [];
    found.push({ source, words, obstacles: unknown, start: text.indexOf(part) });
  }
  return { literal: undefined, obstacles: [], found, written: [], texts: [] };
}
