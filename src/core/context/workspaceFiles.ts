import { listFiles } from '../../services/search/ripgrep.ts';
import type { Host } from '../host/Host.ts';
import { IgnoreRules } from './IgnoreRules.ts';

/**
 * The files of a workspace that may be named, relative to it, with `/`: neither ignored nor hidden from agents. None where there is
 * no ripgrep. @throws RipgrepError
 */
export async function workspaceFiles(
  { files, ripgrep }: Pick<Host, 'files' | 'ripgrep'>,
  root: string,
  signal: AbortSignal,
): Promise<string[]> {
  if (ripgrep === undefined) return [];
  const rules = new IgnoreRules(root, files);
  await rules.refresh(signal);
  if (!rules.usable) return [];
  return await listFiles({ ripgrep, root, path: '.', isHidden: (path) => rules.hides(path), signal });
}
