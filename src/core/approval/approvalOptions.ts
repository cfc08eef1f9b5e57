import { dirname } from 'node:path';
import type { Action, ApprovalOption, ApprovalRule } from '../../shared/approvals.ts';
import type { Verdict } from './decide.ts';

/**
 * What a person can answer, narrowest first. "Always" is offered only where it would be honoured and is sound: for file actions
 * inside the workspace, a mode switch, or a command that would then run in the sandbox by itself; never for a protected path or a
 * place outside. A call on several files is
 * offered the kind alone, since a rule for one of them would not answer it.
 */
export function approvalOptions(
  actions: readonly Action[],
  { dangerous }: Verdict,
  workspace: string,
): ApprovalOption[] {
  const [action, ...others] = actions;
  const alike = others.every(({ type }) => type === action?.type);
  const rules = action && alike && !dangerous ? rulesFor(action, workspace) : [];
  const always = others.length === 0 ? rules : rules.filter(({ type }) => type === 'kind');
  const never = action && others.length === 0 ? denyRules(action) : [];
  return [
    { id: 'allow_once', kind: 'allow_once' },
    ...always.map((rule): ApprovalOption => ({
      id: `allow_always_${rule.type}`,
      kind: 'allow_always',
      rule,
    })),
    { id: 'reject_once', kind: 'reject_once' },
    ...never.map((rule): ApprovalOption => ({
      id: `reject_always_${rule.type}`,
      kind: 'reject_always',
      rule,
    })),
  ];
}

function rulesFor(action: Action, workspace: string): ApprovalRule[] {
  switch (action.type) {
    case 'read':
    case 'edit':
      return [
        { type: 'file', access: action.type, path: action.path },
        // The workspace's own root as a folder is the kind itself.
        ...(dirname(action.path) === workspace
          ? []
          : [{ type: 'folder', access: action.type, path: dirname(action.path) } as const]),
        { type: 'kind', kind: action.type, workspace },
      ];
    case 'switch_mode':
      return [{ type: 'kind', kind: 'switch_mode', workspace }];
    case 'note':
      return action.afterUntrusted === true ? [] : [{ type: 'kind', kind: 'note', workspace }];
    case 'browse':
      return [{ type: 'site', site: action.site }];
    case 'mcp':
      return [mcpRule(action)];
    case 'command':
      return commandRules(action, workspace);
    case 'delete':
    case 'report':
      return [];
  }
}

/** This very command first; then what begins as it does, where that is known to be harmless. */
function commandRules(
  { command, cwd, judged }: Extract<Action, { type: 'command' }>,
  workspace: string,
): ApprovalRule[] {
  const { exact = false, prefix } = judged?.always ?? {};
  return [
    ...(exact ? [{ type: 'command', command, cwd } as const] : []),
    ...(prefix === undefined ? [] : [{ type: 'command_prefix', prefix, workspace } as const]),
  ];
}

function denyRules(action: Action): ApprovalRule[] {
  switch (action.type) {
    case 'read':
    case 'edit':
      return [{ type: 'file', access: action.type, path: action.path }];
    case 'command':
      return [{ type: 'command', command: action.command, cwd: action.cwd }];
    case 'browse':
      return [{ type: 'site', site: action.site }];
    case 'mcp':
      return [mcpRule(action)];
    case 'delete':
    case 'switch_mode':
    case 'report':
    case 'note':
      return [];
  }
}

function mcpRule({ server, source, operation, target }: Extract<Action, { type: 'mcp' }>): ApprovalRule {
  return { type: 'mcp', server, source, ...(operation === 'call' ? { tool: target } : {}) };
}
