import { useEffect, useState } from 'react';

/** Epoch milliseconds, renewed once a second while active. */
export function useNow(active: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}

/** Milliseconds since then (epoch milliseconds), renewed once a second; undefined when nothing runs. */
export function useElapsed(since: number | undefined): number | undefined {
  const now = useNow(since !== undefined);
  return since === undefined ? undefined : Math.max(0, now - since);
}
