import type { ApprovalRule } from '../../../src/shared/approvals.ts';
import type { Words } from '../useSession.ts';

/** What a kept rule allows, or denies. */
export function describeRule(words: Words, rule: ApprovalRule): string {
  switch (rule.type) {
    case 'command':
      return words('webview.rule.command', { command: rule.command });
    case 'file':
      return words(`webview.rule.file.${rule.access}`, { path: rule.path });
    case 'folder':
      return words(`webview.rule.folder.${rule.access}`, { path: rule.path });
    case 'kind':
      return words(`webview.rule.kind.${rule.kind}`);
  }
}

/** Where the rule holds, when that is not said already. */
export function placeOfRule(rule: ApprovalRule): string | undefined {
  switch (rule.type) {
    case 'command':
      return rule.cwd;
    case 'kind':
      return rule.workspace;
    case 'file':
    case 'folder':
      return undefined;
  }
}
