import type { ApprovalOption, ApprovalRequest } from '../../src/shared/approvals.ts';

/** How the person answers: by a button, with what they wrote as feedback. */
export interface Answer {
  outcome: 'allow' | 'reject';
  option?: ApprovalOption;
  /** Instead of what is in the composer: a suggestion that was picked. */
  text?: string;
  mode?: string;
  /** What is written in the place of the proposed text. */
  written?: string;
}

/** Milliseconds after their appearing in which the buttons of an approval take no click. */
export const ARMING_TIME = 300;

/** The request's own option for a plain yes or no. */
export function optionOf(request: ApprovalRequest, outcome: 'allow' | 'reject'): { option?: ApprovalOption } {
  if (request.reason !== 'tool') return {};
  const option = request.options.find(({ kind }) => kind === `${outcome}_once`);
  return option ? { option } : {};
}

/** Send while something waits: words instead of a yes are a no with a reason, save where words are what is asked for. */
export function answerBySending(request: ApprovalRequest): Answer {
  switch (request.reason) {
    case 'tool':
    case 'completion':
      return { outcome: 'reject', ...optionOf(request, 'reject') };
    case 'question':
    case 'request_failed':
    case 'mistake_limit':
      return { outcome: 'allow' };
  }
}
