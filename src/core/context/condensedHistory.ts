import type { JournalEntry } from '../../shared/events.ts';
import { condensing } from '../prompts/condensing.ts';
import { clip } from '../tools/textFile.ts';

type Condensed = Extract<JournalEntry, { type: 'context_condensed' }>;

/** The text that stands for everything up to where it was condensed: the person's own words, and the summary. */
export function condensedHistory(entries: readonly JournalEntry[], condensed: Condensed): string {
  const said = entries.flatMap((entry) => {
    if (entry.type !== 'user_message' || entry.seq > condensed.through || entry.automatic === true) return [];
    const pictures = entry.images?.length ?? 0;
    const parts = [entry.text, ...(pictures === 0 ? [] : [condensing.picturesWithIt(pictures)])];
    return [parts.filter((part) => part !== '').join('\n')];
  });
  const kept = within(said, condensed.personCharacters ?? 0);
  return condensing.history(kept, said.length - kept.length, condensed.summary);
}

/** The first message, which is the task, then as many of the last ones as there is room for; the very last clipped if need be. */
function within(said: readonly string[], characters: number): string[] {
  const [task, ...later] = said;
  if (task === undefined || characters === 0) return [];
  const first = clipped(task, later.length === 0 ? characters : Math.ceil(characters / 2));
  let left = characters - first.length;
  const last: string[] = [];
  for (const text of later.reverse()) {
    if (left <= 0 || (last.length > 0 && text.length > left)) break;
    last.unshift(clipped(text, left));
    left -= text.length;
  }
  return [first, ...last];
}

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${clip(text, length)}\n${condensing.restLeftOut}`;
}
