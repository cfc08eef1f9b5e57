import type { Words } from '../useSession.ts';
import type { RunPart } from './rows.ts';

/** "Read 6 files, searched twice, listed 2 folders" */
export function runSummary(words: Words, parts: readonly RunPart[]): string {
  let files = 0;
  let searches = 0;
  let listings = 0;
  for (const part of parts) {
    if (part.type !== 'tool') continue;
    if (part.tool === 'search_files' || part.tool === 'codebase_search') searches++;
    else if (part.tool === 'list_files') listings++;
    else files += part.details?.type === 'files' ? part.details.files.length : 1;
  }
  const said = [
    files > 0 && words('webview.run.files', { count: files }),
    searches > 0 && words(searchKey(searches), { count: searches }),
    listings > 0 && words('webview.run.folders', { count: listings }),
  ].filter((piece) => piece !== false);
  const text = said.join(words('webview.listSeparator'));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function searchKey(count: number): 'webview.run.once' | 'webview.run.twice' | 'webview.run.times' {
  if (count === 1) return 'webview.run.once';
  return count === 2 ? 'webview.run.twice' : 'webview.run.times';
}
