import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, isMissing, replaceFile } from './disk.ts';
import type { FolderNode, Known } from './FolderScan.ts';

type Row =
  | [name: string, mode: number, hash: string, size: number, modified: number, changed: number, inode: number]
  | [name: string, mode: number, hash: string, children: Row[]];

const NAME = 'known.json';

/**
 * What the last walk knew, for the next process: without it every file is read once more. A cache: one that is damaged is not used,
 * and what it says of content counts only while the store holds that content.
 */
export function readKnownFiles(folder: string): FolderNode | undefined {
  try {
    const text = readFileSync(join(folder, NAME), 'utf8');
    const line = text.indexOf('\n');
    const rows = text.slice(line + 1);
    if (text.slice(0, line) !== hashOf(Buffer.from(rows))) return undefined;
    const [hash, children] = JSON.parse(rows) as [string, Row[]];
    return nodeOf(hash, children);
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeKnownFiles(folder: string, node: FolderNode): void {
  const rows = JSON.stringify([node.hash, rowsOf(node)]);
  replaceFile(join(folder, NAME), `${hashOf(Buffer.from(rows))}\n${rows}`);
}

function rowsOf({ children }: FolderNode): Row[] {
  return Array.from(children, ([name, known]): Row[] => {
    const { mode, hash } = known.entry;
    if (known.kind === 'folder') return [[name, mode, hash, rowsOf(known.node)]];
    const { size, modified, changed, inode, steady } = known.stamp;
    return steady ? [[name, mode, hash, size, modified, changed, inode]] : [];
  }).flat();
}

function nodeOf(hash: string, rows: readonly Row[]): FolderNode {
  const children = new Map<string, Known>();
  for (const row of rows) {
    const [name, mode, content] = row;
    if (row.length === 4) {
      const entry = { kind: 'folder' as const, mode, hash: content };
      children.set(name, { kind: 'folder', entry, node: nodeOf(content, row[3]) });
    } else {
      const [, , , size, modified, changed, inode] = row;
      const entry = { kind: 'file' as const, mode, hash: content, size };
      const stamp = { size, modified, changed, inode, steady: true };
      children.set(name, { kind: 'file', entry, stamp });
    }
  }
  return { hash, children, rules: { stamp: '', names: new Map() } };
}
