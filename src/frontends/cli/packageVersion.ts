import { readFile } from 'node:fs/promises';

/** The version that this package.json names. */
export async function packageVersion(path: URL): Promise<string> {
  return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
}
