import { basename } from 'node:path';
import type { Action } from '../../shared/approvals.ts';
import type { ContentOrigin } from '../../shared/events.ts';
import type { ToolGroup } from '../../shared/tools.ts';
import { isBelow } from './protectedPaths.ts';

/** How the names of files begin in which an answer from outside is kept for the model: read later, it is from outside still. */
const KEPT: Readonly<Record<'web' | 'mcp', string>> = { web: 'web-', mcp: 'mcp-' };

/** Where the result of a call that ran comes from; undefined for the workspace and our own words. `artifacts` is real and absolute. */
export function contentOrigin(
  group: ToolGroup | undefined,
  actions: readonly Action[],
  artifacts: string,
): ContentOrigin | undefined {
  if (group === 'browser') return 'web';
  if (group === 'mcp') return 'mcp';
  const kept = actions.flatMap((action) =>
    action.type === 'read' && isBelow(action.path, artifacts) ? [basename(action.path)] : [],
  );
  return (['web', 'mcp'] as const).find((origin) => kept.some((name) => name.startsWith(KEPT[origin])));
}
