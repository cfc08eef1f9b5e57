import { useMemo } from 'react';
import type { CheckpointDifference, CheckpointFile } from '../../../src/shared/checkpoints.ts';
import type { MethodResult } from '../../../src/shared/protocol.ts';
import type { Session } from '../Session.ts';
import { useSession } from '../useSession.ts';

export type RestoreWhat = 'files' | 'task' | 'both';

/** What can be done with the checkpoints of the open task. What is chosen is in the store. */
export class Checkpoints {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Shows what going back to it would do. */
  consider(checkpointId: string): void {
    this.#session.store.set({ checkpointId });
    this.#session.show('restore');
  }

  /** @throws CallError */
  async list(taskId: string): Promise<MethodResult<'checkpoint/list'>> {
    return await this.#session.transport.call('checkpoint/list', { taskId });
  }

  /** @throws CallError */
  async difference(taskId: string, checkpointId: string): Promise<CheckpointDifference> {
    return await this.#session.transport.call('checkpoint/diff', { taskId, checkpointId });
  }

  /** @throws CallError */
  async file(taskId: string, checkpointId: string, path: string): Promise<CheckpointFile> {
    return await this.#session.transport.call('checkpoint/file', { taskId, checkpointId, path });
  }

  openDiff(taskId: string, checkpointId: string, path: string): void {
    const { transport } = this.#session;
    const params = { taskId, checkpointId, path };
    this.#session.attempt(() => transport.call('editor/openCheckpointDiff', params));
  }

  /** Goes back, then shows the task to go on with. @throws CallError */
  async restore(
    taskId: string,
    checkpointId: string,
    what: RestoreWhat,
    leave: readonly string[],
  ): Promise<void> {
    const { transport } = this.#session;
    const params = { taskId, checkpointId, what, leave: [...leave] };
    const { taskId: goOn } = await transport.call('checkpoint/restore', params);
    if (goOn === taskId) this.#session.show('chat');
    else this.#session.openTask(goOn);
  }
}

export function useCheckpoints(): Checkpoints {
  const session = useSession();
  return useMemo(() => new Checkpoints(session), [session]);
}
