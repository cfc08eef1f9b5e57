import type { ApprovalRequest } from '../../../src/shared/approvals.ts';
import type { TaskView, ToolItem } from '../../../src/shared/viewItems.ts';

type ToolRequest = Extract<ApprovalRequest, { reason: 'tool' }>;

/** Whether it is a plain look at something, in words that a person need not weigh one by one. */
export function isPlainRead(request: ApprovalRequest): request is ToolRequest {
  return (
    request.reason === 'tool' &&
    !request.dangerous &&
    request.actions.length > 0 &&
    request.actions.every(({ type }) => type === 'read')
  );
}

/** The reads of the same message whose turn comes after this one, as they stand in the transcript; none where this is no plain read. */
export function readsAfter(view: TaskView, request: ToolRequest): readonly ToolItem[] {
  if (!isPlainRead(request) || view.taskId !== request.taskId) return [];
  const asking = view.openCalls.get(request.callId);
  if (asking === undefined) return [];
  return view.items
    .slice(asking + 1)
    .filter((item) => item.type === 'tool')
    .filter(({ state, view: { kind } }) => state === 'queued' && (kind === 'read' || kind === 'search'));
}
