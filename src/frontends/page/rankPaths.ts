export interface FoundPath {
  path: string;
  kind: 'file' | 'folder';
}

/**
 * Files and their folders that hold the characters of the query in order, best first: in the name before in the folders, in one piece
 * before scattered, short before long. Paths are relative, with `/`.
 */
export function rankPaths(files: readonly string[], query: string, limit: number): FoundPath[] {
  const wanted = query.trim().toLowerCase();
  const found: { path: FoundPath; score: number }[] = [];
  const consider = (path: string, kind: FoundPath['kind']): void => {
    const score = scoreOf(path.toLowerCase(), wanted);
    if (score !== undefined) found.push({ path: { path, kind }, score });
  };
  const folders = new Set<string>();
  for (const file of files) {
    consider(file, 'file');
    for (let slash = file.indexOf('/'); slash > 0; slash = file.indexOf('/', slash + 1))
      folders.add(file.slice(0, slash));
  }
  for (const folder of folders) consider(folder, 'folder');
  return found
    .toSorted((a, b) => b.score - a.score || a.path.path.length - b.path.path.length)
    .slice(0, limit)
    .map(({ path }) => path);
}

function scoreOf(path: string, wanted: string): number | undefined {
  if (wanted === '') return 0;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === wanted) return 6;
  if (name.startsWith(wanted)) return 5;
  if (name.includes(wanted)) return 4;
  if (path.includes(wanted)) return 3;
  if (inOrder(name, wanted)) return 2;
  return inOrder(path, wanted) ? 1 : undefined;
}

function inOrder(text: string, wanted: string): boolean {
  let from = 0;
  for (const character of wanted) {
    const at = text.indexOf(character, from);
    if (at < 0) return false;
    from = at + character.length;
  }
  return true;
}
