import type { Action, ApprovalPolicy, ApprovalRule } from '../../shared/approvals.ts';
import { message, type Message } from '../../shared/strings.ts';
import { isBelow } from './protectedPaths.ts';

export interface Verdict {
  verdict: 'allow' | 'ask' | 'deny';
  /** Why it asks or is denied, for the person. */
  why: Message[];
  /** Approve then needs a click, not a key. */
  dangerous: boolean;
}

/**
 * Whether an action may go ahead: the one place where something is allowed. Pure.
 * Deny beats allow, always. Outside the workspace and protected paths ask under every automatic approval and every kept rule;
 * only the person's standing yes (`--approve all`) covers them. Until a sandbox exists no command is automatic, kept rules included.
 */
export function decide(action: Action, policy: ApprovalPolicy, workspace: string): Verdict {
  if (policy.deny.some((rule) => matches(rule, action, workspace))) {
    return { verdict: 'deny', why: [message('why.denied')], dangerous: true };
  }
  if (policy.auto.all) return { verdict: 'allow', why: [], dangerous: false };
  const dangers = dangersOf(action);
  if (dangers.length > 0) return { verdict: 'ask', why: dangers, dangerous: true };
  if (action.type === 'command') return { verdict: 'ask', why: [message('why.command')], dangerous: false };
  if (isAutomatic(action, policy) || policy.allow.some((rule) => matches(rule, action, workspace))) {
    return { verdict: 'allow', why: [], dangerous: false };
  }
  return { verdict: 'ask', why: [message('why.kindAsks')], dangerous: false };
}

/** One verdict a call: the strictest of its actions. A call that touches nothing is allowed. */
export function decideCall(actions: readonly Action[], policy: ApprovalPolicy, workspace: string): Verdict {
  const verdicts = actions.map((action) => decide(action, policy, workspace));
  const strictest =
    (['deny', 'ask', 'allow'] as const).find((verdict) => verdicts.some((one) => one.verdict === verdict)) ??
    'allow';
  const reasons = verdicts.filter(({ verdict }) => verdict === strictest);
  return {
    verdict: strictest,
    why: reasons.flatMap(({ why }) => why),
    dangerous: reasons.some(({ dangerous }) => dangerous),
  };
}

function dangersOf(action: Action): Message[] {
  switch (action.type) {
    case 'read':
    case 'edit':
    case 'delete':
      return [
        ...(action.insideWorkspace ? [] : [message('why.outsideWorkspace', { path: action.path })]),
        ...(action.protected ? [message('why.protected', { path: action.path })] : []),
      ];
    case 'command':
      return action.insideWorkspace ? [] : [message('why.outsideWorkspace', { path: action.cwd })];
    case 'switch_mode':
      return [];
  }
}

function isAutomatic(action: Exclude<Action, { type: 'command' }>, { auto }: ApprovalPolicy): boolean {
  switch (action.type) {
    case 'read':
      return auto.read;
    case 'edit':
      return auto.edit;
    // Deleting is not editing: what a person made automatic was changing files.
    case 'delete':
      return false;
    case 'switch_mode':
      return auto.switchMode;
  }
}

function matches(rule: ApprovalRule, action: Action, workspace: string): boolean {
  switch (rule.type) {
    case 'command':
      return action.type === 'command' && action.command === rule.command && action.cwd === rule.cwd;
    case 'file':
      return action.type === rule.access && action.path === rule.path;
    case 'folder':
      return action.type === rule.access && isBelow(action.path, rule.path);
    case 'kind':
      return action.type === rule.kind && rule.workspace === workspace;
  }
}
