import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder, byte for byte: path → what it is, its bits and its content. `only`: names that begin the paths wanted. */
export function snapshot(
  root: string,
  wanted: (path: string) => boolean = () => true,
): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const status = lstatSync(join(root, path));
      const bits = (status.mode & 0o777).toString(8);
      if (wanted(path)) {
        if (status.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
        else if (status.isDirectory()) found[path] = `folder ${bits}`;
        else if (status.isFile()) found[path] = `file ${bits} ${sum(readFileSync(join(root, path)))}`;
        else found[path] = 'special';
      }
      if (status.isDirectory()) walk(path);
    }
  };
  walk('');
  return found;
}

export const isGit = (path: string): boolean => path.split('/').includes('.git');

function sum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
