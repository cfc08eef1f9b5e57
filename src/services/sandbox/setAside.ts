import { cp, lstat, mkdir, mkdtemp, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { orUndefined } from './isInside.ts';
import type { ScanEntry } from './scanWorkspace.ts';

/**
 * Protected files that a command made although they were not there before: they are moved out of the workspace before anything else can
 * act on them, and links that were changed are put back.
 * @returns what was set aside, and the folder that holds it
 */
export async function setAside(
  workspace: string,
  before: readonly ScanEntry[],
  after: readonly ScanEntry[],
  asides: string,
): Promise<{ paths: string[]; folder: string } | undefined> {
  const known = new Map(before.map((entry) => [entry.path, entry]));
  const made = after.filter((entry) => {
    const old = known.get(entry.path);
    return !old || old.type !== entry.type || old.target !== entry.target;
  });
  const changed = await changedLinks(workspace, before);
  if (made.length === 0 && changed.length === 0) return undefined;
  await mkdir(asides, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(asides, 'set-aside-'));
  for (const { path } of made) await move(join(workspace, path), join(folder, path));
  for (const { path, target } of changed) {
    const whole = join(workspace, path);
    if ((await orUndefined(lstat(whole))) !== undefined) await move(whole, join(folder, path));
    await symlink(target ?? '', whole);
  }
  return { paths: [...new Set([...made, ...changed].map(({ path }) => path))], folder };
}

async function changedLinks(workspace: string, before: readonly ScanEntry[]): Promise<ScanEntry[]> {
  const changed: ScanEntry[] = [];
  for (const entry of before)
    if (entry.type === 'link' && (await orUndefined(readlink(join(workspace, entry.path)))) !== entry.target)
      changed.push(entry);
  return changed;
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    // Another disk: a link is copied as the link that it is.
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    await rm(from, { recursive: true, force: true });
  }
}
