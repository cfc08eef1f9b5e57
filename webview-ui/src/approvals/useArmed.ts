import { useEffect, useState } from 'react';
import { ARMING_TIME } from '../answerKinds.ts';
import { useSession } from '../useSession.ts';

/** Whether what waits has been on the screen long enough to be what a click means. */
export function useArmed(approvalId: string): boolean {
  const session = useSession();
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    session.answers.shown(approvalId);
    const timer = setTimeout(() => setArmed(true), ARMING_TIME);
    return () => clearTimeout(timer);
  }, [session, approvalId]);
  return armed;
}
