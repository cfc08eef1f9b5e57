import type { ReplayedStep } from '../../core/replay/ReplayedStep.ts';
import type { RecordedTask } from '../../core/replay/readRecorded.ts';
import { replayTask, type Replay } from '../../core/replay/replayTask.ts';
import { message, translate, type Locale, type Message } from '../../shared/strings.ts';
import { printable } from './printable.ts';

export interface ReplayOptions {
  locale: Locale;
  output: (text: string) => void;
  /** A line of JSON a task instead of words. */
  json: boolean;
}

/** Characters of a value that is shown. */
const SHOWN = 200;
/** Characters before the place where two values part. */
const BEFORE = 40;

/** Goes through recorded tasks again and says what came out. @returns the exit code: 0 when all is the same, else 1 */
export async function replay(tasks: readonly RecordedTask[], options: ReplayOptions): Promise<number> {
  let differs = false;
  for (const { entries, damaged } of tasks) {
    const replayed = await replayTask(entries);
    differs ||= damaged > 0 || replayed.steps.some(({ verdict }) => verdict === 'differs');
    if (options.json) options.output(`${JSON.stringify({ ...replayed, damaged })}\n`);
    else show(replayed, damaged, options);
  }
  return differs ? 1 : 0;
}

function show({ taskId, title, steps }: Replay, damaged: number, { locale, output }: ReplayOptions): void {
  const say = (words: Message): void => output(`${printable(translate(locale, words))}\n`);
  say(message('replay.task', { title, taskId }));
  for (const step of steps) output(`  ${printable(lineOf(step, locale))}\n`);
  if (damaged > 0) say(message('replay.damaged', { count: damaged }));
  const unknown = steps.filter(({ verdict }) => verdict === 'unknown');
  if (unknown.length > 0) say(message('replay.unknown', { count: unknown.length }));
  const [first, ...more] = steps.filter(({ verdict }) => verdict === 'differs');
  if (first) {
    const { seq, part, of = '', recorded = '', replayed = '' } = first;
    say(message(`replay.differs.${part}`, { seq, of }));
    const [before, now] = partingOf(recorded, replayed);
    say(message('replay.recorded', { text: before }));
    say(message('replay.replayed', { text: now }));
    if (more.length > 0) say(message('replay.more', { count: more.length }));
  } else if (damaged === 0) {
    const count = (wanted: ReplayedStep['part']): number =>
      steps.filter(({ part, verdict }) => part === wanted && verdict === 'same').length;
    const counts = { requests: count('request'), answers: count('answer'), calls: count('call') };
    say(message('replay.same', counts));
  }
}

/** Entry, part, verdict, and what it is of. */
function lineOf({ seq, part, of, verdict, recorded, replayed }: ReplayedStep, locale: Locale): string {
  const word = (key: `replay.part.${typeof part}` | `replay.verdict.${typeof verdict}`): string =>
    translate(locale, message(key));
  const outcomes =
    part === 'call' && recorded !== undefined && replayed !== undefined
      ? `: ${translate(locale, message('replay.outcome', { recorded, replayed }))}`
      : '';
  const columns = [`#${seq}`.padEnd(6), word(`replay.part.${part}`).padEnd(9)];
  return `${columns.join('')}${word(`replay.verdict.${verdict}`).padEnd(14)}${of ?? ''}${outcomes}`.trimEnd();
}

/** Two values from shortly before the place where they part. */
function partingOf(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const cut = (text: string): string => {
    const start = text.length <= SHOWN ? 0 : Math.max(0, at - BEFORE);
    const end = start + SHOWN;
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  };
  return [cut(one), cut(other)];
}
