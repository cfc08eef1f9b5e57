import * as vscode from 'vscode';

/** Scheme of proposals under review: the right side of a diff, which a person may change. In memory only. */
export const PROPOSAL_SCHEME = 'lathe-proposal';

/** Scheme of what stood before an edit: the left side, read-only. */
export const BEFORE_SCHEME = 'lathe-before';

/**
 * Closes the reviews that the editor brought back from before a reload: what was behind them is gone, and is asked about anew.
 * One with unsaved changes stays: they are the person's.
 */
export async function closeStaleReviews(): Promise<void> {
  const stale = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input, isDirty }) =>
        !isDirty &&
        input instanceof vscode.TabInputTextDiff &&
        [PROPOSAL_SCHEME, BEFORE_SCHEME].includes(input.modified.scheme),
    );
  if (stale.length > 0) await vscode.window.tabGroups.close(stale, true);
}
