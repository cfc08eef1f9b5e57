import type { Agent } from '../../core/Agent.ts';
import type { Dispatcher } from '../../core/Dispatcher.ts';

/**
 * What the server's clients talk to: the agent of this process, or one that shares its tasks with the agents of other servers
 * (SharedAgent). Either answers every method, and tells what happens in the tasks wherever they run.
 */
export interface ServedAgent {
  readonly dispatcher: Pick<Dispatcher, 'call' | 'dispatch'>;
  readonly onNotification: Agent['onNotification'];
  /** Whether a turn that was broken off will be gone on with by itself. */
  goesOn?(taskId: string): Promise<boolean>;
  /** Has events of these tasks be heard as well, wherever they run. */
  followAlso?(isFollowed: (taskId: string) => boolean): void;
  /** Resolves when it is known wherever turns run who watches here. */
  presenceTold?(): Promise<void>;
}
