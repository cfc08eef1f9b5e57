import type { EditorSettings } from '../../../shared/settings.ts';

/** Characters of text that a token stands for, roughly. */
const CHARACTERS_A_TOKEN = 4;
/** Characters where the model's context window is not known; the least, which holds for a full context too; and the most. */
const UNKNOWN_WINDOW = 200_000;
const LEAST = 4000;
const MOST = 400_000;

/** Characters that one message's mentions may take: the share that one read may take of the tokens that are left. */
export function mentionBudget(
  left: number | undefined,
  { readContextShare }: Pick<EditorSettings, 'readContextShare'>,
): number {
  if (left === undefined) return UNKNOWN_WINDOW;
  return Math.round(Math.min(MOST, Math.max(LEAST, left * readContextShare * CHARACTERS_A_TOKEN)));
}
