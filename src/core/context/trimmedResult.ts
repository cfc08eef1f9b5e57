import type { ResultContent } from '../../shared/tools.ts';
import { condensing } from '../prompts/condensing.ts';
import { clip, clipStart } from '../tools/textFile.ts';

/** Characters of an old result's ends that stay: its header and first lines, and how it ended. */
const HEAD = 400;
const TAIL = 200;
/** A cut that saves less than this is not made. */
const LEAST_SAVED = 300;

/** An old result without its middle and its pictures. The same result gives the same text, and a trimmed one stays as it is. */
export function trimmedResult(content: readonly ResultContent[]): ResultContent[] {
  return content.map((part) => {
    if (part.type === 'image') return { type: 'text', text: condensing.pictureLeftOut() };
    const left = part.text.length - HEAD - TAIL;
    if (left < LEAST_SAVED) return part;
    const head = clip(part.text, HEAD);
    const tail = clipStart(part.text, TAIL);
    return { type: 'text', text: `${head}\n${condensing.middleLeftOut(left)}\n${tail}` };
  });
}
