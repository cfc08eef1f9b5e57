import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { AppState, OpenSubtask } from './state.ts';

const NOTHING: readonly ApprovalRequest[] = [];

/** What waits for the person's answer: in the open task, or in the subtask that it waits for. */
export function waitingFor(state: AppState): readonly ApprovalRequest[] {
  const { view } = state;
  // After an interruption nobody waits for an answer: a message goes on from there.
  if (view.state === 'interrupted' || view.failure) return NOTHING;
  return view.pending.length > 0 ? view.pending : (askingSubtask(state)?.view.pending ?? NOTHING);
}

/** The subtask that waits for the person, where the open task itself does not. */
export function askingSubtask({ view, subtasks }: AppState): OpenSubtask | undefined {
  const deepest = subtasks.at(-1);
  if (!deepest || view.pending.length > 0 || deepest.elsewhere) return undefined;
  return deepest.view.state === 'waiting' ? deepest : undefined;
}
