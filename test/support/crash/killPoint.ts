// Loaded before a program that is to be killed: its KILL_AT-th write to the disk is its last. KILL_HOW says whether it dies right
// before the write, in the middle of it (half of the bytes are there), or right behind it. Without KILL_AT it only counts, and prints
// how many there were.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const at = Number(process.env.KILL_AT ?? 0);
const how = process.env.KILL_HOW ?? 'before';
let count = 0;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal takes a moment; nothing may happen in it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('still alive');
}

/** `cut`: the same call with half of its bytes; without it the call is one step for the disk. `counts`: whether it is one at all. */
function watch(
  owner: object,
  name: string,
  cut?: (args: unknown[]) => unknown[],
  counts: (args: unknown[]) => boolean = () => true,
): void {
  const original = Reflect.get(owner, name) as AnyFunction;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    if (!counts(args) || ++count !== at) return original.apply(this, args);
    const isCut = how === 'half' && cut !== undefined;
    if (how !== 'after' && !isCut) die();
    const result = original.apply(this, isCut ? cut(args) : args);
    return result instanceof Promise ? result.then(die) : die();
  });
}

const half = (bytes: unknown, start: number): Uint8Array => {
  const whole = Buffer.from(bytes as Uint8Array).subarray(start);
  return whole.subarray(0, Math.floor(whole.length / 2));
};
const written = ([file, bytes, start]: unknown[]): unknown[] => [file, half(bytes, Number(start ?? 0))];
const replaced = ([path, data, options]: unknown[]): unknown[] => [path, half(data, 0), options];

for (const name of ['rename', 'link', 'rm', 'mkdir', 'symlink', 'chmod']) {
  watch(fs.promises, name);
  watch(fs, `${name}Sync`);
}
for (const name of ['fsyncSync', 'rmdirSync', 'fchmodSync']) watch(fs, name);
// What is said to whoever started it is no write to the disk.
watch(fs, 'writeSync', written, ([file]) => Number(file) > 2);
watch(fs, 'writeFileSync', replaced);
watch(fs.promises, 'writeFile', replaced);
const probe = await fs.promises.open(process.execPath, 'r');
const handle = Object.getPrototypeOf(probe) as object;
await probe.close();
for (const name of ['sync', 'datasync', 'truncate', 'chmod']) watch(handle, name);
watch(handle, 'write', ([bytes, start]) => [half(bytes, Number(start ?? 0))]);
syncBuiltinESMExports();

process.on('exit', () => {
  if (at === 0) fs.writeSync(1, `points ${count}\n`);
});
