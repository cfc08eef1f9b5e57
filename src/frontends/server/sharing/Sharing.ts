import type { Bulletin, WaitingCall } from '../../../shared/sharing.ts';

/** What servers that share tasks have in common, by whatever means: it arrives by constructor. */

/** What they tell each other. Each hears the others' bulletins in their order, and not its own; those of a while without it are lost. */
export interface Bus {
  publish: (bulletin: Bulletin) => void;
  /** The next bulletin is heard when the promise that a listener gives has resolved. */
  onBulletin: (listener: (from: string, bulletin: unknown) => void | Promise<void>) => void;
}

/** Which tasks are to have turns, and the calls that wait for these. */
export interface TurnQueue {
  /** Has the task get a turn on some server; the call is kept for it. */
  add: (taskId: string, call?: WaitingCall) => Promise<void>;
  /** Oldest first. */
  calls: (taskId: string) => Promise<WaitingCall[]>;
  /** Forgets these calls, or all of the task. Resolves with those that were there. */
  forget: (taskId: string, ids?: readonly string[]) => Promise<{ id: string; caller: string }[]>;
  has: (taskId: string) => Promise<boolean>;
  /** Looks at once whether there is a turn to take. */
  look: () => void;
}

/** The server that has the turn of a task, or writes it. */
export interface TurnServers {
  serverOf: (taskId: string) => Promise<string | undefined>;
}

/** Who is there, at all servers. */
export interface SharedPresence {
  set: (sessionId: string, present: boolean) => Promise<void>;
  elsewhere: () => Promise<string[]>;
}
