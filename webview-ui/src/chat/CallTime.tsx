import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { formatDuration, formatElapsed } from '../common/format.ts';
import { useElapsed } from '../common/useElapsed.ts';
import { useWords } from '../useSession.ts';

/** How long a call runs, or took; nothing below a second. */
export function CallTime({ item }: { item: ToolItem }): React.ReactNode {
  const words = useWords();
  const elapsed = useElapsed(item.state === 'running' ? item.startedAt : undefined);
  if (elapsed !== undefined)
    return elapsed >= 1000 ? <span className="time">{formatElapsed(words, elapsed)}</span> : null;
  if (item.durationMs === undefined || item.durationMs < 1000) return null;
  return <span className="time">{formatDuration(words, item.durationMs)}</span>;
}
