import { useEffect, useMemo, useState } from 'react';
import { modeDescription, modeName } from '../common/modeName.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { complete, findTrigger, mentionOf, type Trigger } from './completionTrigger.ts';

export interface Completion {
  id: string;
  label: string;
  /** A path, shortened in the middle. */
  isPath: boolean;
  icon: string;
  description?: string;
  pick: () => void;
}

export interface Completions {
  kind: Trigger['kind'] | undefined;
  items: readonly Completion[];
  /** The one that Enter picks. */
  active: number;
  setActive: (index: number) => void;
  /** Whether the key was for the list. */
  onKeyDown: (event: React.KeyboardEvent) => boolean;
}

interface FoundPath {
  path: string;
  kind: 'file' | 'folder';
}

/** What can be completed at the caret: paths of the workspace after `@`, commands and modes after `/`. */
export function useCompletions(caret: number | undefined, moveCaret: (caret: number) => void): Completions {
  const session = useSession();
  const text = useAppState(({ draft }) => draft.text);
  const [dismissed, setDismissed] = useState<number>();
  const [chosen, setChosen] = useState({ query: '', index: 0 });
  const trigger = useMemo(
    () => (caret === undefined ? undefined : findTrigger(text, Math.min(caret, text.length))),
    [text, caret],
  );
  const open = trigger !== undefined && trigger.start !== dismissed;
  const paths = usePaths(open && trigger.kind === 'mention' ? trigger.query : undefined);
  const commands = useCommands();

  useEffect(() => {
    if (trigger === undefined) setDismissed(undefined);
  }, [trigger]);

  const replace = (replacement: string): void => {
    if (!trigger) return;
    const { draft } = session.store.state;
    const completed = complete(draft.text, trigger, replacement);
    session.write({ ...draft, text: completed.text });
    moveCaret(completed.caret);
  };
  let items: readonly Completion[] = [];
  if (open && trigger.kind === 'mention')
    items = paths.map(({ path, kind }) => ({
      id: path,
      label: path,
      isPath: true,
      icon: kind === 'file' ? 'file' : 'folder',
      pick: () => replace(mentionOf(path)),
    }));
  else if (open)
    items = commands
      .filter(({ id, label }) => matches(trigger.query, id) || matches(trigger.query, label))
      .map(({ run, text: words = '', ...command }) => ({
        ...command,
        isPath: false,
        pick: () => {
          replace(words);
          run?.();
        },
      }));
  const key = trigger ? `${trigger.kind} ${trigger.query}` : '';
  const active = chosen.query === key ? Math.min(chosen.index, items.length - 1) : 0;
  const setActive = (index: number): void => setChosen({ query: key, index });

  const onKeyDown = (event: React.KeyboardEvent): boolean => {
    if (items.length === 0) return false;
    switch (event.key) {
      case 'ArrowDown':
        setActive((active + 1) % items.length);
        return true;
      case 'ArrowUp':
        setActive((active + items.length - 1) % items.length);
        return true;
      case 'Enter':
      case 'Tab':
        if (event.shiftKey) return false;
        items[active]?.pick();
        return true;
      case 'Escape':
        setDismissed(trigger?.start);
        return true;
      default:
        return false;
    }
  };
  return { kind: open ? trigger.kind : undefined, items, active, setActive, onKeyDown };
}

/** The paths for what was typed last; the ones before stay until then, so that the list does not flicker. */
function usePaths(query: string | undefined): readonly FoundPath[] {
  const session = useSession();
  const [paths, setPaths] = useState<readonly FoundPath[]>([]);
  useEffect(() => {
    if (query === undefined) {
      setPaths([]);
      return undefined;
    }
    let over = false;
    session.attempt(async () => {
      const found = await session.transport.call('editor/findPaths', { query: query.slice(0, 200) });
      if (!over) setPaths(found.paths);
    });
    return () => {
      over = true;
    };
  }, [session, query]);
  return paths;
}

interface Command {
  id: string;
  label: string;
  icon: string;
  description?: string;
  /** What stands in the message then; nothing unless it is said. */
  text?: string;
  run?: () => void;
}

function useCommands(): readonly Command[] {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const ofFiles = useAppState((state) => state.commands);
  return useMemo(
    () => [
      ...ofFiles.map(({ name, description, argumentHint }) => ({
        id: `/${name}`,
        label: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
        icon: 'symbol-event',
        ...(description === undefined ? {} : { description }),
        // What it stands for is put in by the agent; arguments can be written behind it.
        text: `/${name}`,
      })),
      { id: 'new', label: words('webview.command.new'), icon: 'add', run: () => session.newTask() },
      ...modes.map(({ slug }) => {
        const description = modeDescription(words, modes, slug);
        return {
          id: slug,
          label: words('webview.command.mode', { mode: modeName(words, modes, slug) }),
          icon: 'arrow-swap',
          ...(description === undefined ? {} : { description }),
          run: () => session.setMode(slug),
        };
      }),
      { id: 'history', label: words('webview.history'), icon: 'history', run: () => session.show('history') },
      {
        id: 'settings',
        label: words('webview.settings'),
        icon: 'settings-gear',
        run: () => session.show('settings'),
      },
    ],
    [session, words, modes, ofFiles],
  );
}

function matches(query: string, name: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}
