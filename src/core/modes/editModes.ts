import { Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { message } from '../../shared/strings.ts';
import type { ModeConfig } from '../../shared/modes.ts';
import { ProtocolError } from '../Dispatcher.ts';
import type { ModeRule } from './modeRules.ts';

/** A mode's keys in the order in which they are written. */
const KEYS = [
  'slug',
  'name',
  'description',
  'roleDefinition',
  'whenToUse',
  'customInstructions',
  'groups',
] as const satisfies readonly (keyof ModeConfig)[];

/**
 * The file's text with the mode in the place of the one that has the slug `replaces`, or behind all others. Comments, other modes, and
 * what this version does not know of the mode stay. @throws ProtocolError when the file cannot be read as it is
 */
export function withMode(text: string, mode: ModeConfig, replaces: string | undefined): string {
  return edited(text, (document, list) => {
    const found = replaces === undefined ? undefined : itemWith(list, replaces);
    if (!found) {
      list.add(document.createNode(plain(mode)));
      return;
    }
    const item = found.item;
    const before = item.toJSON() as Record<string, unknown>;
    for (const key of KEYS) {
      const value = mode[key];
      if (value === undefined) item.delete(key);
      // A value that is the same keeps how it was written.
      else if (JSON.stringify(before[key]) !== JSON.stringify(value))
        item.set(key, document.createNode(value));
    }
  });
}

/** The file's text without the mode of that slug. @throws ProtocolError when the file cannot be read as it is */
export function withoutMode(text: string, slug: string): string {
  return edited(text, (_document, list) => {
    const found = itemWith(list, slug);
    if (found) list.delete(found.index);
  });
}

/** A mode as a file of its own, with the rules that are for it alone. */
export function modeText(mode: ModeConfig, rules: readonly ModeRule[]): string {
  const exported = {
    ...plain(mode),
    ...(rules.length === 0
      ? {}
      : {
          rulesFiles: rules.map(({ name, text }) => ({
            relativePath: `rules-${mode.slug}/${name}`,
            content: text.trim(),
          })),
        }),
  };
  return new Document({ customModes: [exported] }).toString({ lineWidth: 0 });
}

function edited(text: string, edit: (document: Document, list: YAMLSeq) => void): string {
  const isJson = text.trimStart().startsWith('{');
  const document: Document = text.trim() === '' ? new Document({}) : parseDocument(text);
  if (document.errors.length > 0) throw broken();
  if (document.contents === null) document.contents = document.createNode({});
  if (!isMap(document.contents)) throw broken();
  let list = document.get('customModes', true);
  if (!isSeq(list)) {
    if (document.get('customModes') !== undefined && document.get('customModes') !== null) throw broken();
    document.set('customModes', document.createNode([]));
    list = document.get('customModes', true);
  }
  if (!isSeq(list)) throw broken();
  // An empty list is written as `[]`; what is put into it is easier to read as lines.
  if (!isJson && list.items.length === 0) list.flow = false;
  edit(document, list);
  return isJson ? `${JSON.stringify(document.toJS(), undefined, 2)}\n` : document.toString({ lineWidth: 0 });
}

function itemWith(list: YAMLSeq, slug: string): { item: YAMLMap; index: number } | undefined {
  const index = list.items.findIndex((item) => isMap(item) && item.get('slug') === slug);
  const item = list.items[index];
  return isMap(item) ? { item, index } : undefined;
}

function plain(mode: ModeConfig): Record<string, unknown> {
  return Object.fromEntries(
    KEYS.flatMap((key) => (mode[key] === undefined ? [] : [[key, mode[key]] as const])),
  );
}

function broken(): ProtocolError {
  return new ProtocolError('unavailable', message('modes.error.broken'));
}
