import { isDeepStrictEqual } from 'node:util';
import type { JournalEntry, ModelReference, StopReason, TaskDelta } from '../../shared/events.ts';
import type { AssistantMessageContent } from '../../shared/tools.ts';
import { AssistantMessageParser } from '../assistant-message/AssistantMessageParser.ts';
import { answerPieces, hashOf, type AnswerPiece } from '../assistant-message/recordedAnswer.ts';
import { streamMessage } from '../task/streamMessage.ts';
import { parserTools, toolByName } from '../tools/index.ts';
import type { Difference } from './ReplayedStep.ts';
import { RecordedProvider, type Chunking } from './RecordedProvider.ts';

type Entry<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

export interface ReplayedAnswer {
  /** What was read from the answer now. */
  content: AssistantMessageContent[];
  /** What was shown while it came. */
  deltas: TaskDelta[];
  difference: Difference | undefined;
}

/** Characters up to which an answer is read one by one too. */
const SHORT = 256 * 1024;

/** Reads a recorded answer again, in chunks of several lengths; undefined where the journal did not keep how it came. */
export async function replayAnswer(
  entry: Entry<'assistant_message'>,
  model: ModelReference,
  stopReason: StopReason,
): Promise<ReplayedAnswer | undefined> {
  const { content, answer, reasoning, requestId } = entry;
  const pieces = answerPieces(answer ?? { hash: '' }, content);
  if (pieces === undefined) return answer === undefined ? undefined : notItself(entry);
  if (answer !== undefined && hashOf(pieces) !== answer.hash) return notItself(entry);
  let deltas: TaskDelta[] = [];
  for (const chunking of chunkings(pieces)) {
    deltas = [];
    const ids = content.flatMap((block) =>
      block.type === 'tool_use' && block.origin === 'xml' ? [block.id] : [],
    );
    const parser = new AssistantMessageParser({
      tools: parserTools(),
      xml: model.protocol === 'xml',
      mintId: () => ids.shift() ?? 'a call more than was recorded',
    });
    const streamed = await streamMessage({
      task: { publish: (delta) => deltas.push(delta) },
      requestId,
      provider: new RecordedProvider({ pieces, content, reasoning, stopReason }, chunking),
      request: { model: model.model, system: '', messages: [] },
      parser,
      toolByName,
      signal: new AbortController().signal,
    });
    if (!isDeepStrictEqual(streamed.content, content)) {
      return { content: streamed.content, deltas, difference: firstOther(content, streamed.content) };
    }
  }
  return { content, deltas, difference: undefined };
}

/** The answer was kept, and is not the one that these blocks were read from. */
function notItself({ content, answer }: Entry<'assistant_message'>): ReplayedAnswer {
  const now = answer && answerPieces(answer, content);
  const difference = { recorded: answer?.hash ?? '', replayed: now ? hashOf(now) : '' };
  return { content, deltas: [], difference };
}

function firstOther(
  recorded: readonly AssistantMessageContent[],
  replayed: readonly AssistantMessageContent[],
): Difference {
  const length = Math.max(recorded.length, replayed.length);
  for (let index = 0; index < length; index++) {
    const [before, now] = [recorded[index], replayed[index]];
    if (isDeepStrictEqual(before, now)) continue;
    const block = before ?? now;
    return {
      of: block?.type === 'tool_use' ? block.name : 'text',
      recorded: before ? JSON.stringify(before) : '',
      replayed: now ? JSON.stringify(now) : '',
    };
  }
  return { recorded: '', replayed: '' };
}

/** As a whole, one by one, and unevenly; the same every time. */
function chunkings(pieces: readonly AnswerPiece[]): Chunking[] {
  const size = pieces.reduce(
    (sum, piece) => sum + (piece.type === 'text' ? piece.text : piece.arguments).length,
    0,
  );
  const smallest = size <= SHORT ? 1 : 997;
  let step = 0;
  return [() => Infinity, () => smallest, () => smallest + ((step = (step * 31 + 17) % 61) % 23)];
}
