import type { KeyInput } from 'puppeteer-core';
import { BrowserError } from '../../shared/browser.ts';

const aliases: Readonly<Record<string, KeyInput>> = {
  ctrl: 'Control',
  control: 'Control',
  cmd: 'Meta',
  command: 'Meta',
  meta: 'Meta',
  win: 'Meta',
  super: 'Meta',
  option: 'Alt',
  alt: 'Alt',
  shift: 'Shift',
  esc: 'Escape',
  escape: 'Escape',
  return: 'Enter',
  enter: 'Enter',
  tab: 'Tab',
  del: 'Delete',
  delete: 'Delete',
  ins: 'Insert',
  insert: 'Insert',
  backspace: 'Backspace',
  space: 'Space',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  pgup: 'PageUp',
  pgdn: 'PageDown',
  capslock: 'CapsLock',
  contextmenu: 'ContextMenu',
};
const MODIFIERS: ReadonlySet<KeyInput> = new Set<KeyInput>(['Control', 'Meta', 'Alt', 'Shift']);

export interface KeyPress {
  /** Held while the key is pressed. */
  modifiers: KeyInput[];
  key: KeyInput;
}

/** `Enter`, `Control+A`, `ctrl+shift+z`. @throws BrowserError naming what is no key */
export function keysOf(text: string): KeyPress {
  // A plus that is the key itself has nothing after it.
  const parts = text
    .trim()
    .split(/\+(?!$)/)
    .map((part) => part.trim());
  const keys = parts.map(keyOf);
  const key = keys.pop();
  if (key === undefined || keys.some((held) => !MODIFIERS.has(held)))
    throw new BrowserError(
      'page',
      `'${text.slice(0, 60)}' is not one key with Control, Shift, Alt or Meta before it.`,
    );
  return { modifiers: keys, key };
}

function keyOf(name: string): KeyInput {
  const alias = aliases[name.toLowerCase()];
  if (alias !== undefined) return alias;
  if (/^f([1-9]|1[0-2])$/i.test(name)) return name.toUpperCase() as KeyInput;
  // One printable character of the keyboard that is driven.
  if (/^[!-~]$/.test(name)) return name as KeyInput;
  throw new BrowserError('page', `There is no key '${name.slice(0, 60)}'.`);
}
