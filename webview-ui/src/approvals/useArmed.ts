import { useEffect, useState } from 'react';
import { ARMING_TIME } from '../answerKinds.ts';
import { useSession } from '../useSession.ts';

/** Whether what waits, in the form that it has now, has been on the screen long enough to be what a click means. */
export function useArmed(approvalId: string, form = ''): boolean {
  const session = useSession();
  const shown = `${approvalId} ${form}`;
  const [armed, setArmed] = useState<string>();
  useEffect(() => {
    session.answers.shown(approvalId);
    const timer = setTimeout(() => setArmed(shown), ARMING_TIME);
    return () => {
      clearTimeout(timer);
      // What comes back later is new under the pointer.
      setArmed(undefined);
    };
  }, [session, approvalId, shown]);
  return armed === shown;
}
