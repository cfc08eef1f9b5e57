import { useEffect, useMemo, useState } from 'react';
import { useAppState, useSession } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import { complete, findTrigger, type Trigger } from './completionTrigger.ts';
import { useArgumentItems } from './useArgumentItems.ts';
import { useCommandItems } from './useCommandItems.ts';
import { useMentionItems } from './useMentionItems.ts';

export interface Completions {
  kind: Trigger['kind'] | undefined;
  items: readonly Completion[];
  /** The one that Enter picks. */
  active: number;
  setActive: (index: number) => void;
  pick: (item: Completion) => void;
  /** Whether the key was for the list. */
  onKeyDown: (event: React.KeyboardEvent) => boolean;
}

/** What can be completed at the caret: what can be mentioned after `@`, commands and modes after `/`. */
export function useCompletions(caret: number | undefined, moveCaret: (caret: number) => void): Completions {
  const session = useSession();
  const text = useAppState(({ draft }) => draft.text);
  const [dismissed, setDismissed] = useState<number>();
  const [chosen, setChosen] = useState<{ query: string; id: string | undefined }>({
    query: '',
    id: undefined,
  });
  const trigger = useMemo(
    () => (caret === undefined ? undefined : findTrigger(text, Math.min(caret, text.length))),
    [text, caret],
  );
  const open = trigger !== undefined && trigger.start !== dismissed;
  const mentions = useMentionItems(open && trigger.kind === 'mention' ? trigger.query : undefined);
  const commands = useCommandItems(open && trigger.kind === 'command' ? trigger.query : undefined);
  const values = useArgumentItems(open && trigger.kind === 'argument' ? trigger : undefined, text);
  const items = open ? { command: commands, mention: mentions, argument: values }[trigger.kind] : [];

  useEffect(() => {
    if (trigger === undefined) setDismissed(undefined);
  }, [trigger]);

  const pick = (item: Completion): void => {
    if (!trigger) return;
    const { draft } = session.store.state;
    const completed = complete(draft.text, trigger, item.text, item.open);
    session.write({ ...draft, text: completed.text });
    moveCaret(completed.caret);
    item.run?.();
  };
  const key = trigger ? `${trigger.kind} ${trigger.query}` : '';
  // By its name, not its place: what is found later must not slip under Enter.
  const found = chosen.query === key ? items.findIndex(({ id }) => id === chosen.id) : 0;
  const active = Math.max(0, found);
  const setActive = (index: number): void => setChosen({ query: key, id: items[index]?.id });

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
      case 'Tab': {
        const item = items[active];
        if (event.shiftKey && event.key === 'Tab') setDismissed(trigger?.start);
        if (event.shiftKey || !item) return false;
        pick(item);
        return true;
      }
      case 'Escape':
        setDismissed(trigger?.start);
        return true;
      default:
        return false;
    }
  };
  return { kind: open ? trigger.kind : undefined, items, active, setActive, pick, onKeyDown };
}
