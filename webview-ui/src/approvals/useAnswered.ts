import { useEffect, useState } from 'react';
import { useAppState } from '../useSession.ts';

/**
 * Whether what asks takes no answer: one is on its way, or nobody would hear it. Where the line broke it is not known whether an answer
 * arrived: what still asks then can be answered again.
 */
export function useAnswered(): [answered: boolean, setAnswered: (answered: boolean) => void] {
  const connected = useAppState((state) => state.connected);
  const [answered, setAnswered] = useState(false);
  useEffect(() => {
    if (!connected) setAnswered(false);
  }, [connected]);
  return [answered || !connected, setAnswered];
}
