import { decodePath, shortPath } from '../common/shortPath.ts';

const TYPES = ['application/vnd.code.uri-list', 'text/uri-list'];

export function bringsPaths(data: DataTransfer): boolean {
  return TYPES.some((type) => data.types.includes(type));
}

/** Files that were dragged from the editor, relative to the workspace where they are in it. */
export function droppedPaths(data: DataTransfer, workspace: string | undefined): string[] {
  const list = TYPES.map((type) => data.getData(type)).find((text) => text !== '') ?? '';
  return list.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith('file://') || !URL.canParse(line)) return [];
    const path = decodePath(new URL(line).pathname).replace(/^\/([a-z]:)/i, '$1');
    return [shortPath(path, workspace)];
  });
}
