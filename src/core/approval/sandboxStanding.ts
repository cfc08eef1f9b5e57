import { join } from 'node:path';
import type { ApprovalRule } from '../../shared/approvals.ts';
import type { Classify } from '../../services/sandbox/scanWorkspace.ts';
import { deniesReading } from './decide.ts';
import { isProtected, mayHoldSecrets } from './protectedPaths.ts';

export interface StandingOptions {
  /** The workspace root, links resolved. */
  root: string;
  homes: readonly string[];
  deny: readonly ApprovalRule[];
  /** Workspace-relative, a folder's with `/` at its end. */
  isIgnored: (path: string) => boolean;
}

export interface CommandKind {
  /** It may change the workspace. */
  writable: boolean;
  /** It runs git. */
  git: boolean;
}

/** Folders that an editor, git or an agent acts upon as soon as they are there. */
export const AT_ONCE = ['.git', '.vscode', '.lathe', '.idea', '.devcontainer', '.cursor', '.claude', '.zed'];

/**
 * How the sandbox treats each name of the workspace. What is hidden from tools is hidden from commands; what is protected is read-only;
 * and programs that only look, whose output goes to the model unasked, see no secrets.
 */
export function sandboxStanding(
  { root, homes, deny, isIgnored }: StandingOptions,
  { writable, git }: CommandKind,
): Classify {
  return (path, isFolder) => {
    const whole = join(root, path);
    if (homes.includes(whole) || isIgnored(isFolder ? `${path}/` : path) || deniesReading(whole, deny, root))
      return 'hidden';
    // What is above has been looked at: two names are enough for all that is protected by more than one.
    const names = join(root, ...path.split('/').slice(-2));
    // Git does not start without its own settings.
    if (!writable)
      return mayHoldSecrets(names, root) && !(git && path === '.git/config') ? 'hidden' : undefined;
    return isProtected(names, root, homes) ? 'guarded' : undefined;
  };
}
