/** A row of a unified diff; line numbers are 1-based. */
export type DiffRow =
  | { type: 'hunk'; text: string }
  | { type: 'same'; text: string; before: number; after: number }
  | { type: 'added'; text: string; after: number }
  | { type: 'removed'; text: string; before: number };

/** The rows of a unified diff of one file. File headers are left out; anything that is no diff gives no row. */
export function parsePatch(patch: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of patch.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (header) {
      before = Number(header[1]);
      after = Number(header[2]);
      inHunk = true;
      rows.push({ type: 'hunk', text: (header[3] ?? '').trim() });
      continue;
    }
    if (!inHunk) continue;
    const text = line.slice(1).replace(/\r$/, '');
    if (line.startsWith('+')) rows.push({ type: 'added', text, after: after++ });
    else if (line.startsWith('-')) rows.push({ type: 'removed', text, before: before++ });
    else if (line.startsWith(' ')) rows.push({ type: 'same', text, before: before++, after: after++ });
  }
  return rows;
}
