import type { EditorSettings } from '../../shared/settings.ts';

/** Tokens that an answer may take where the profile does not say. */
const ANSWER = 8192;
/** Of the window: what stays free besides the answer, since tokens are estimated. */
const SHARE = 0.9;
/** Of the window: what requests get however long answers may be. */
const LEAST = 0.25;

/**
 * Tokens of a request past which room is made: the window's nine tenths without the longest answer, or the percentage that the person
 * set. Undefined when nobody knows the window.
 */
export function contextLimit(
  window: number | undefined,
  longestAnswer: number | undefined,
  { condenseAtPercent }: Pick<EditorSettings, 'condenseAtPercent'>,
): number | undefined {
  if (window === undefined) return undefined;
  const answer = longestAnswer ?? Math.min(ANSWER, window * 0.1);
  if (condenseAtPercent === 0) return Math.max(window * SHARE - answer, window * LEAST);
  // A request that leaves no room for its answer is refused, whatever was set.
  return Math.min((window * condenseAtPercent) / 100, Math.max(window - answer, window * LEAST));
}
