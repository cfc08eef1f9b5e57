import type { CheckpointRow } from '../../../src/shared/checkpoints.ts';
import type { StringKey } from '../../../src/shared/strings.ts';
import { isToolName } from '../../../src/shared/tools.ts';
import type { Words } from '../useSession.ts';

/** What a checkpoint was saved before, in words. */
export function stepName(words: Words, { reason, tool, subject }: CheckpointRow): string {
  if (reason === 'restore') return words('checkpoint.beforeRestore');
  if (tool === undefined) return words('checkpoint.beforeUnnamed');
  const key: StringKey | undefined = isToolName(tool) ? `webview.tool.${tool}.base` : undefined;
  const step = `${key === undefined ? tool : words(key)} ${subject ?? ''}`.trim();
  return words('checkpoint.beforeStep', { step: step.replace(/\s+/g, ' ').slice(0, 200) });
}
