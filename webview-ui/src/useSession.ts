import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react';
import type { StringKey } from '../../src/shared/strings.ts';
import { message, translate, type Message, type MessageArguments } from '../../src/shared/strings.ts';
import type { Session } from './Session.ts';
import type { AppState } from './state.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('used outside of the session');
  return session;
}

/** A part of the state; the selector must give the same object while nothing changed. */
export function useAppState<T>(select: (state: AppState) => T): T {
  const { store } = useSession();
  return useSyncExternalStore(store.subscribe, () => select(store.state));
}

/** Whether there is an editor around the page: what takes one is not shown without it. */
export function useInEditor(): boolean {
  return useAppState((state) => state.surface === 'editor');
}

/** Whether words can be put on the clipboard: a browser lets no page do that which came over a plain line from another machine. */
export function useClipboard(): boolean {
  const inEditor = useInEditor();
  return inEditor || window.isSecureContext;
}

export interface Words {
  /** A sentence of the table. */
  (key: StringKey, args?: MessageArguments): string;
  /** A sentence that came as data. */
  of: (words: Message) => string;
}

/** The reader's language. */
export function useWords(): Words {
  const locale = useAppState((state) => state.locale);
  return useMemo(
    () =>
      Object.assign((key: StringKey, args?: MessageArguments) => translate(locale, message(key, args)), {
        of: (words: Message) => translate(locale, words),
      }),
    [locale],
  );
}

/** Whether a row of the transcript is open; remembered while it is out of sight, and over a reload. */
export function useOpenRow(key: string, byDefault: boolean): [boolean, () => void] {
  const { places, store } = useSession();
  const [, setVersion] = useState(0);
  const { taskId = '' } = store.state;
  const open = places.isOpen(taskId, key) ?? byDefault;
  const toggle = useCallback(() => {
    places.setOpen(taskId, key, !(places.isOpen(taskId, key) ?? byDefault));
    setVersion((version) => version + 1);
  }, [places, taskId, key, byDefault]);
  return [open, toggle];
}
