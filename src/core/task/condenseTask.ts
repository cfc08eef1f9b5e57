import { ProtocolError } from '../Dispatcher.ts';
import type { TurnOptions } from './runTurn.ts';
import type { Task } from './Task.ts';

/** Condenses a task while no turn of it runs. How its last turn ended stays as it is. */
export async function condenseTask(
  task: Task,
  signal: AbortSignal,
  turnOptions: () => Promise<TurnOptions>,
): Promise<void> {
  const wish = task.takeCondenseWish();
  if (!wish) return;
  try {
    const options = await turnOptions();
    const asked = { model: await options.model(), head: options.requestHead() };
    if (!signal.aborted) await options.room.condense({ by: 'person', ...wish }, asked, signal);
  } catch (error) {
    // No model is set up, or the one of the task is gone.
    if (!(error instanceof ProtocolError)) throw error;
    await task.record({ type: 'notice', level: 'warning', message: error.words });
  }
}
