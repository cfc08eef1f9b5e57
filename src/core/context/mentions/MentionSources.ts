import type { ApprovalRule } from '../../../shared/approvals.ts';
import type { ReadMention } from '../../../shared/events.ts';
import type { ModeConfig } from '../../../shared/modes.ts';
import type { Message } from '../../../shared/strings.ts';
import { fenced } from '../../prompts/fenced.ts';
import type { ReadContext } from '../../tools/readLines.ts';
import type { FileGate } from '../FileGate.ts';

/** What mentions are read with. */
export interface MentionSources extends ReadContext {
  /** The workspace root, absolute. */
  root: string;
  gate: FileGate;
  mode: ModeConfig;
  /** What the person said is never read. */
  deny: readonly ApprovalRule[];
  /** Whether the model sees pictures. */
  images: boolean;
}

/** What was read of a mention: as the model is told, and how much of it that is. */
export type Reading = Pick<ReadMention, 'kind' | 'outcome' | 'content'>;

/** Why something mentioned is not there, in both readers' words. */
export class MentionProblem extends Error {
  override readonly name = 'MentionProblem';
  constructor(
    /** For the model: what is missing, and what to do. */
    message: string,
    readonly words: Message,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Something mentioned, fenced and labelled with its origin. */
export function mentioned(
  kind: ReadMention['kind'],
  origin: Readonly<Record<string, string>>,
  text: string,
): { type: 'text'; text: string } {
  return { type: 'text', text: fenced('mentioned', { kind, ...origin }, text) };
}

/** The beginning of a text, whole lines of it where it has some, and what is said of the rest. */
export function cutTo(text: string, characters: number): { text: string; cut: number } {
  if (text.length <= characters) return { text, cut: 0 };
  const line = text.lastIndexOf('\n', characters);
  const end = line > characters / 2 ? line : withoutHalf(text, Math.max(0, characters));
  return { text: text.slice(0, end), cut: text.length - end };
}

function withoutHalf(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
