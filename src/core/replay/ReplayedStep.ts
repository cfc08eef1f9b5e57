export const replayedParts = ['journal', 'request', 'answer', 'call', 'end', 'view'] as const;

/** A step of a task that was gone through again. */
export interface ReplayedStep {
  /** The entry that holds it. */
  seq: number;
  part: (typeof replayedParts)[number];
  /** What it is of: a tool, a kind of entry, a path in the view; of a request the entries that are new in it. */
  of?: string;
  /** `unknown`: the journal does not keep what it was made of. */
  verdict: 'same' | 'differs' | 'unknown';
  /** What was and what is now, where they differ. */
  recorded?: string;
  replayed?: string;
}

/** A step that came out otherwise than it was recorded. */
export type Difference = Required<Pick<ReplayedStep, 'recorded' | 'replayed'>> & Pick<ReplayedStep, 'of'>;

/** The step with its verdict: it differs where there is a difference. */
export function stepOf(
  step: Omit<ReplayedStep, 'verdict' | 'recorded' | 'replayed'>,
  difference: Difference | undefined,
): ReplayedStep {
  return difference ? { ...step, verdict: 'differs', ...difference } : { ...step, verdict: 'same' };
}
