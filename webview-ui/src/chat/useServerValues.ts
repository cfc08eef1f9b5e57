import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../useSession.ts';

/** What a server is asked for values. The same key asks for the same. */
export interface ValueQuestion {
  key: string;
  ask: (session: ReturnType<typeof useSession>) => Promise<{ values: readonly string[] }>;
}

/** Letters are waited for this long, in milliseconds: a server is asked with each. */
const PAUSE = 150;
const MOST = 20;

/** What a server says that could stand in a place, less what stands there; nothing until it has answered, and without a question. */
export function useServerValues(
  question: ValueQuestion | undefined,
  value: string | undefined,
): readonly string[] {
  const session = useSession();
  const [found, setFound] = useState<{ key: string; values: readonly string[] }>();
  useEffect(() => {
    if (!question) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      session.attempt(async () => {
        const { values } = await question.ask(session);
        if (!over) setFound({ key: question.key, values });
      });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, question]);
  return useMemo(
    () =>
      question && found?.key === question.key
        ? found.values.filter((one) => one !== value).slice(0, MOST)
        : [],
    [question, found, value],
  );
}
