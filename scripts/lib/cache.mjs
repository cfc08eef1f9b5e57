// The person's cache folder for what Lathe's scripts install, shared by all clones of the repository.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onInterrupt } from './processes.mjs';

/** `XDG_CACHE_HOME`, else the platform's cache folder, plus `lathe`. */
export function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'lathe');
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'lathe');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'lathe');
  return join(homedir(), '.cache', 'lathe');
}

/** How long one install may hold the lock while another clone waits for it. */
const LOCK_WAIT_MS = 20 * 60_000;

/**
 * The folder `<cache>/<name>`, made by `build(folder)` unless it is already complete.
 *
 * The work happens in a folder beside it and is renamed when done, so an interrupted install leaves nothing
 * that looks finished; a lock lets one clone install while another waits and then reuses the result.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} build
 * @returns {Promise<string>}
 */
export async function installOnce(name, build) {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const release = await lock(`${folder}.lock`, name);
  const partial = `${folder}.partial-${process.pid}`;
  const cleanUp = () => {
    rmSync(partial, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    release();
  };
  const forget = onInterrupt(cleanUp);
  try {
    if (existsSync(folder)) return folder;
    // What an attempt that was killed left half made.
    const prefix = `${basename(folder)}.partial-`;
    for (const entry of readdirSync(dirname(folder)))
      if (entry.startsWith(prefix) && !isAlive(Number(entry.slice(prefix.length))))
        rmSync(join(dirname(folder), entry), { recursive: true, force: true });
    mkdirSync(partial);
    await build(partial);
    renameSync(partial, folder);
    return folder;
  } finally {
    forget();
    cleanUp();
  }
}

/**
 * @param {string} path
 * @param {string} name
 * @returns {Promise<() => void>}
 */
async function lock(path, name) {
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (let announced = false; ; await sleep(1000)) {
    try {
      // `wx` makes the file or fails: two processes cannot both get it.
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder !== undefined && !isAlive(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (Date.now() > deadline)
      throw new Error(`Another process (${holder ?? 'unknown'}) has been installing ${name} for 20 minutes. \
If it is not running any more, remove ${path} and try again.`);
    if (!announced) console.log(`  another process (${holder ?? 'unknown'}) is installing ${name}: waiting`);
    announced = true;
  }
}

/** @param {string} path */
function readHolder(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** @param {unknown} error */
export function errorCode(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
