import { ProtocolError } from '../../core/Dispatcher.ts';
import type { TaskSummary } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';
import { printable } from './printable.ts';

/** Characters of an id that are shown, and are enough to name a task. */
const SHOWN_ID = 8;

/** A line a task, the newest first: id, when it last changed, state, cost, title. */
export function taskLines(tasks: readonly TaskSummary[]): string {
  return tasks
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .map(({ id, updatedAt, state, usage, title }) => {
      const cost = usage.cost === undefined ? '' : `$${usage.cost.toFixed(2)}`;
      const time = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ');
      return `${id.slice(0, SHOWN_ID)}  ${time}  ${state.padEnd(17)} ${cost.padStart(8)}  ${printable(title).replaceAll('\n', ' ')}\n`;
    })
    .join('');
}

/** The one task that `word` names: its id, the beginning of it, or `last`. @throws ProtocolError when it is none or several */
export function taskNamed(tasks: readonly TaskSummary[], word: string): TaskSummary {
  const own = tasks.filter(({ parent }) => parent === undefined);
  if (word === 'last') {
    const [newest] = own.toSorted((one, other) => other.updatedAt - one.updatedAt);
    if (!newest) throw new ProtocolError('not_found', message('cli.noTaskHere'));
    return newest;
  }
  const [found, ...more] = tasks.filter(({ id }) => id.startsWith(word));
  if (!found) throw new ProtocolError('not_found', message('cli.noTask', { word }));
  if (more.length > 0) throw new ProtocolError('invalid_params', message('cli.severalTasks', { word }));
  return found;
}
