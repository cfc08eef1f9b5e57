import type { EditorSettings } from '../../../shared/settings.ts';

/** Characters of text that a token stands for, roughly. */
const CHARACTERS_A_TOKEN = 4;
/** Characters where the model's context window is not known; the least, which holds for a full context too; and the most. */
const UNKNOWN_WINDOW = 200_000;
const LEAST = 4000;
const MOST = 400_000;

/** Characters that one message's mentions may take: the share of the free context that one read may take. */
export function mentionBudget(
  window: number | undefined,
  used: number,
  { readContextShare }: Pick<EditorSettings, 'readContextShare'>,
): number {
  if (window === undefined) return UNKNOWN_WINDOW;
  const free = Math.max(0, window - used) * readContextShare * CHARACTERS_A_TOKEN;
  return Math.round(Math.min(MOST, Math.max(LEAST, free)));
}
