// Child processes that never outlive the script: streamed, bounded in time, and stopped with all their children.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @type {Set<() => void | Promise<void>>} */
const interruptions = new Set();
let interrupted = false;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => {
    if (interrupted) return;
    interrupted = true;
    void Promise.allSettled([...interruptions].reverse().map(async (action) => action())).then(() =>
      process.exit(signal === 'SIGINT' ? 130 : 143),
    );
  });

/**
 * Calls `action` when the script is interrupted. Returns a function that takes it back.
 * @param {() => void | Promise<void>} action
 */
export function onInterrupt(action) {
  interruptions.add(action);
  return () => {
    interruptions.delete(action);
  };
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [timeout] milliseconds, after which the process and its children are stopped
 * @property {boolean} [shell] for Windows' .cmd files
 * @property {(line: string) => void} [onLine] gets the output line by line; without it the output is shown as it comes
 */

/**
 * Runs a program to its end. Resolves with its exit code, and whether the time bound ended it.
 * Throws when the program can't be started.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, timedOut: boolean }>}
 */
export async function run(program, args, options = {}) {
  const { onLine } = options;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    shell: options.shell ?? false,
    stdio: ['ignore', onLine ? 'pipe' : 'inherit', onLine ? 'pipe' : 'inherit'],
  });
  if (onLine)
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', onLine);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    // With pipes, `close` waits for the last line; with an inherited terminal there is nothing to wait for.
    child.once(onLine ? 'close' : 'exit', (code) => resolve(typeof code === 'number' ? code : 1));
  });
  let timedOut = false;
  /** @type {Promise<void> | undefined} */
  let stopping;
  const timer =
    options.timeout === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          if (child.pid !== undefined) stopping = stopTree(child.pid);
        }, options.timeout);
  const forget = onInterrupt(() => (child.pid === undefined ? undefined : stopTree(child.pid)));
  try {
    const code = await ended;
    // What it started may outlive it by a moment.
    await stopping;
    return { code, timedOut };
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/**
 * Stops a process that we started and everything below it: asks, waits `grace` milliseconds, then forces.
 * @param {number} pid
 * @param {number} [grace]
 */
export async function stopTree(pid, grace = 5000) {
  if (process.platform === 'win32') {
    await new Promise((resolve) => {
      const killer = spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
      killer.once('close', resolve);
      killer.once('error', resolve);
    });
    return;
  }
  const tree = [pid, ...(await descendants(pid))];
  const started = new Map(tree.map((one) => [one, startTime(one)]));
  for (const one of tree) signal(one, 'SIGTERM');
  const alive = () =>
    tree.filter((one) => startTime(one) !== undefined && startTime(one) === started.get(one));
  for (const end = Date.now() + grace; Date.now() < end && alive().length > 0;) await sleep(50);
  for (const one of alive()) signal(one, 'SIGKILL');
  for (const end = Date.now() + 2000; Date.now() < end && alive().length > 0;) await sleep(50);
}

/**
 * The processes below `pid`, children before their own children. Linux and macOS.
 * @param {number} pid
 * @returns {Promise<number[]>}
 */
export async function descendants(pid) {
  const parents = process.platform === 'linux' ? parentsFromProc() : await parentsFromPs();
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found.slice(1);
}

/** @returns {Map<number, number>} */
function parentsFromProc() {
  const parents = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(Number(entry));
    if (stat) parents.set(Number(entry), Number(stat[1]));
  }
  return parents;
}

/** @returns {Promise<Map<number, number>>} */
async function parentsFromPs() {
  const parents = new Map();
  await new Promise((resolve, reject) => {
    const child = spawn('ps', ['-A', '-o', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'ignore'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [one, parent] = line.trim().split(/\s+/).map(Number);
      parents.set(one, parent);
    });
    child.once('error', reject);
    child.once('close', resolve);
  });
  return parents;
}

/**
 * What identifies the process beyond its number, which the system reuses; undefined when it is gone.
 * @param {number} pid
 */
export function startTime(pid) {
  if (process.platform === 'linux') {
    const stat = readStat(pid);
    return stat && stat[0] !== 'Z' ? stat[19] : undefined;
  }
  return signal(pid, 0) ? 'running' : undefined;
}

/**
 * /proc/<pid>/stat after the command's name: state, parent, … start time at [19].
 * @param {number} pid
 * @returns {string[] | undefined}
 */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it ended while we looked
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} name
 */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // already gone
  }
}
