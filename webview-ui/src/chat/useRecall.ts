import { useRef } from 'react';
import { useSession } from '../useSession.ts';

/**
 * Up in an empty composer brings back what was sent last, then what was sent before it, beyond what is loaded too. Gives whether the
 * key was for that.
 */
export function useRecall(): () => boolean {
  const session = useSession();
  const recalled = useRef<{ text: string; key: string } | undefined>(undefined);
  const fetching = useRef(false);

  const bring = async (): Promise<void> => {
    const { taskId } = session.store.state;
    const before = session.store.state.draft.text;
    for (;;) {
      const { draft, view } = session.store.state;
      // Whoever wrote or went elsewhere meanwhile does not want it any more.
      if (draft.text !== before || session.store.state.taskId !== taskId) return;
      const sent = view.items.flatMap((item) =>
        item.type === 'user' && !item.automatic && item.text !== '' ? [item] : [],
      );
      const from = recalled.current?.key;
      const at = from === undefined ? sent.length : sent.findIndex(({ key }) => key === from);
      const found = sent[at - 1];
      if (found) {
        recalled.current = { text: found.text, key: found.key };
        session.write({ ...draft, text: found.text });
        return;
      }
      if (!(await session.fetchEarlier())) return;
    }
  };

  return () => {
    const { text } = session.store.state.draft;
    const walking = text !== '' && recalled.current?.text === text;
    if (text !== '' && !walking) return false;
    if (!walking) recalled.current = undefined;
    if (fetching.current) return true;
    fetching.current = true;
    session.attempt(async () => {
      try {
        await bring();
      } finally {
        fetching.current = false;
      }
    });
    return true;
  };
}
