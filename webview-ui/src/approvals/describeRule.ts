import type { ApprovalRule } from '../../../src/shared/approvals.ts';
import { shortPath } from '../common/shortPath.ts';
import type { Words } from '../useSession.ts';

/** What a kept rule allows, or denies; paths as seen from `root`. */
export function describeRule(words: Words, rule: ApprovalRule, root: string | undefined): string {
  switch (rule.type) {
    case 'command':
      return words('webview.rule.command', { command: rule.command });
    case 'command_prefix':
      return words('webview.rule.prefix', { prefix: rule.prefix });
    case 'file':
      return words(`webview.rule.file.${rule.access}`, { path: shortPath(rule.path, root) });
    case 'folder':
      return words(`webview.rule.folder.${rule.access}`, { path: shortPath(rule.path, root) });
    case 'site':
      return words('webview.rule.site', { site: rule.site });
    case 'mcp':
      return rule.tool === undefined
        ? words('webview.rule.mcp.read', { server: rule.server })
        : words('webview.rule.mcp.call', { server: rule.server, tool: rule.tool });
    case 'kind':
      return words(`webview.rule.kind.${rule.kind}`);
  }
}

/** What a kept rule forbids, in words that say so. */
export function describeNever(words: Words, rule: ApprovalRule, root: string | undefined): string {
  if (rule.type === 'command') return words('approval.never.command', { command: rule.command });
  if (rule.type === 'file')
    return words(`approval.never.${rule.access}`, { path: shortPath(rule.path, root) });
  return words('approval.never.other', { rule: describeRule(words, rule, root) });
}

/** Where the rule holds, when that is neither said already nor `root`. */
export function placeOfRule(rule: ApprovalRule, root: string | undefined): string | undefined {
  switch (rule.type) {
    case 'command':
      return rule.cwd === root ? undefined : rule.cwd;
    case 'command_prefix':
    case 'kind':
      return rule.workspace === root ? undefined : rule.workspace;
    case 'mcp':
      return rule.source;
    case 'file':
    case 'folder':
    case 'site':
      return undefined;
  }
}
