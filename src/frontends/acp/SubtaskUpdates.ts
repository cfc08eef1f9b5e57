import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { JournalEntry } from '../../shared/events.ts';
import { SessionUpdates, type SessionUpdatesOptions } from './SessionUpdates.ts';

/**
 * The subtasks of a session's task, told in the session: a client knows one conversation. What they say and call is part of it, under
 * ids of their own; the plan, the title and the usage stay those of the session's task.
 */
export class SubtaskUpdates {
  readonly #options: SessionUpdatesOptions;
  readonly #updates = new Map<string, SessionUpdates>();

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
  }

  of(taskId: string): SessionUpdates {
    const known = this.#updates.get(taskId);
    if (known) return known;
    const updates = new SessionUpdates({
      ...this.#options,
      subtask: taskId,
      onChoice: () => undefined,
      send: (update) => {
        if (isOfConversation(update)) this.#options.send(update);
      },
    });
    this.#updates.set(taskId, updates);
    return updates;
  }

  /** Puts what a subtask said where it was begun. `journals`: task id → its entries. */
  replay(entry: JournalEntry, journals: ReadonlyMap<string, readonly JournalEntry[]>, shown: boolean): void {
    if (entry.type !== 'subtask_started') return;
    const entries = journals.get(entry.taskId) ?? [];
    this.of(entry.taskId).replay(entries, shown, (inner) => this.replay(inner, journals, shown));
  }

  /** The client's terminal that a call runs in. */
  terminal(callId: string, terminalId: string): void {
    for (const updates of this.#updates.values()) updates.terminal(callId, terminalId);
  }

  dispose(): void {
    for (const updates of this.#updates.values()) updates.dispose();
  }
}

function isOfConversation({ sessionUpdate }: SessionUpdate): boolean {
  return ['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'notice'].includes(
    sessionUpdate,
  );
}
