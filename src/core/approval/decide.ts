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

/** Where a call belongs. Absolute paths; `artifacts` with every link resolved. */
export interface Bounds {
  workspace: string;
  /** What we kept of this task's own output for the model to read in parts: reading it is never a danger. */
  artifacts?: string;
}

/**
 * Whether an action may go ahead: the one place where something is allowed. Pure.
 * Deny beats allow, always. Outside the workspace and protected paths ask under every automatic approval and every kept rule;
 * only the person's standing yes (`--approve all`) covers them. A command is automatic only in the sandbox: as the programs that
 * the kept rules allow, or as a whole where everything in the sandbox is. Behind content from outside what reaches the network or
 * may change something at a server, or is kept for later tasks, asks until the person speaks.
 */
export function decide(action: Action, policy: ApprovalPolicy, bounds: Bounds): Verdict {
  const { workspace, artifacts } = bounds;
  if (policy.deny.some((rule) => denies(rule, action, workspace))) {
    return { verdict: 'deny', why: [message('why.denied')], dangerous: true };
  }
  if (action.type === 'command' && action.judged?.verdict === 'deny')
    return { verdict: 'deny', why: action.judged.why, dangerous: true };
  if (policy.auto.all) return allowed();
  if (artifacts !== undefined && action.type === 'read' && isBelow(action.path, artifacts)) return allowed();
  if (action.type === 'browse' && action.granted) return allowed();
  const dangers = dangersOf(action);
  if (dangers.length > 0) return { verdict: 'ask', why: dangers, dangerous: true };
  if (action.type === 'command') return decideCommand(action, policy);
  const automatic =
    isAutomatic(action, policy) || policy.allow.some((rule) => matches(rule, action, workspace));
  const lasts = action.type === 'mcp' || action.type === 'note';
  if (automatic && lasts && action.afterUntrusted === true)
    return { verdict: 'ask', why: [message('why.afterUntrusted')], dangerous: false };
  if (automatic) return allowed();
  return { verdict: 'ask', why: [whyItAsks(action, policy)], dangerous: false };
}

function decideCommand(
  { judged, sandboxed, afterUntrusted = false }: Extract<Action, { type: 'command' }>,
  { auto }: ApprovalPolicy,
): Verdict {
  const automatic =
    sandboxed !== undefined &&
    (auto.sandboxed === true || (judged?.verdict === 'auto' && sandboxed === 'steps'));
  if (automatic && !afterUntrusted) return allowed();
  const dangers = judged?.dangers ?? [];
  const why = [
    ...dangers,
    ...(automatic ? [message('why.afterUntrusted')] : []),
    ...(judged?.verdict === 'ask' ? judged.why : []),
  ];
  return {
    verdict: 'ask',
    why: why.length > 0 ? why : [message('why.command')],
    dangerous: dangers.length > 0,
  };
}

/** One verdict a call: the strictest of its actions. A call that touches nothing is allowed. */
export function decideCall(actions: readonly Action[], policy: ApprovalPolicy, bounds: Bounds): Verdict {
  const verdicts = actions.map((action) => decide(action, policy, bounds));
  const strictest =
    (['deny', 'ask', 'allow'] as const).find((verdict) => verdicts.some((one) => one.verdict === verdict)) ??
    'allow';
  const reasons = verdicts.filter(({ verdict }) => verdict === strictest);
  return {
    verdict: strictest,
    why: distinct(reasons.flatMap(({ why }) => why)),
    dangerous: reasons.some(({ dangerous }) => dangerous),
  };
}

/** Whether a kept "never" covers reading this file, or a folder that it is in. `path` is a real path, absolute. */
export function deniesReading(path: string, deny: readonly ApprovalRule[], workspace: string): boolean {
  const action: Action = { type: 'read', path, insideWorkspace: true, protected: false };
  return deny.some((rule) => denies(rule, action, workspace));
}

function whyItAsks(action: Action, { auto }: ApprovalPolicy): Message {
  if (action.type === 'mcp') return message('why.mcp');
  if (action.type === 'report') return message('why.report');
  if (action.type === 'note')
    return message(action.afterUntrusted === true ? 'why.afterUntrusted' : 'why.note');
  if (action.type !== 'browse') return message('why.kindAsks');
  return message(auto.browser === true ? 'why.afterUntrusted' : 'why.browse');
}

function allowed(): Verdict {
  return { verdict: 'allow', why: [], dangerous: false };
}

function dangersOf(action: Action): Message[] {
  switch (action.type) {
    case 'read':
    case 'edit':
    case 'delete': {
      const { type, path } = action;
      return [
        ...(action.insideWorkspace ? [] : [message('why.outsideWorkspace', { path })]),
        ...(action.protected ? [message(type === 'read' ? 'why.secret' : 'why.protected', { path })] : []),
      ];
    }
    case 'command':
      return action.insideWorkspace ? [] : [message('why.outsideWorkspace', { path: action.cwd })];
    case 'switch_mode':
    case 'report':
    case 'note':
      return [];
    case 'browse':
      return action.place === 'public' || action.place === 'loopback'
        ? []
        : [message('why.privateNetwork', { site: action.site })];
    case 'mcp':
      return action.changed ? [message('why.mcpChanged', { tool: action.target })] : [];
  }
}

function isAutomatic(action: Exclude<Action, { type: 'command' }>, { auto }: ApprovalPolicy): boolean {
  switch (action.type) {
    case 'read':
      return auto.read;
    case 'edit':
      return auto.edit;
    // Deleting is not editing: what a person made automatic was changing files. What leaves the machine is read first.
    case 'delete':
    case 'report':
    case 'note':
      return false;
    case 'switch_mode':
      return auto.switchMode;
    case 'browse':
      return auto.browser === true && !action.afterUntrusted;
    // Made automatic tool by tool, never as a kind.
    case 'mcp':
      return action.automatic;
  }
}

/** A "never" reaches further than an "always": to deleting what may not be changed, to a command written with other blanks. */
function denies(rule: ApprovalRule, action: Action, workspace: string): boolean {
  if (rule.type === 'command' && action.type === 'command')
    return plainCommand(action.command) === plainCommand(rule.command) && action.cwd === rule.cwd;
  const deleting = action.type === 'delete' ? ({ ...action, type: 'edit', created: false } as const) : action;
  return matches(rule, deleting, workspace);
}

function matches(rule: ApprovalRule, action: Action, workspace: string): boolean {
  switch (rule.type) {
    case 'command':
      return action.type === 'command' && action.command === rule.command && action.cwd === rule.cwd;
    // What a beginning of words covers was judged when the command was read.
    case 'command_prefix':
      return false;
    case 'file':
      return action.type === rule.access && action.path === rule.path;
    case 'folder':
      return action.type === rule.access && (action.path === rule.path || isBelow(action.path, rule.path));
    case 'site':
      return action.type === 'browse' && action.site === rule.site;
    case 'mcp':
      return (
        action.type === 'mcp' &&
        action.server === rule.server &&
        action.source === rule.source &&
        (rule.tool === undefined
          ? action.operation === 'read'
          : action.operation === 'call' && action.target === rule.tool)
      );
    case 'kind':
      return action.type === rule.kind && rule.workspace === workspace;
  }
}

function plainCommand(command: string): string {
  return command.trim().replace(/\s+/g, ' ');
}

function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
}
