// Loaded by the Nodes of a VS Code, through NODE_OPTIONS: writes down what an extension of ours starts, one line of JSON each, into
// the file that LATHE_TEST_SPAWNS names. Whose doing it is, the stack says.
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env['LATHE_TEST_SPAWNS'] ?? '';

/** @param {unknown} what */
function note(what) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  if (/[/\\]lathe\.lathe-[^/\\]*[/\\]dist[/\\]/.test(stack))
    appendFileSync(file, `${JSON.stringify(what)}\n`);
}

const { prototype } = childProcess.ChildProcess;
const { spawn } = /** @type {{ spawn: (options: { file: string, args: string[] }) => number }} */ (
  /** @type {unknown} */ (prototype)
);
Reflect.set(
  prototype,
  'spawn',
  /** @this {unknown} @param {{ file: string, args: string[] }} options */ function (options) {
    note([options.file, ...(options.args ?? []).slice(1)]);
    // The extension host is not given NODE_OPTIONS.
    if (options.args?.includes('--type=extensionHost'))
      options.args.splice(1, 0, `--import=${import.meta.url}`);
    return spawn.call(this, options);
  },
);
for (const name of /** @type {const} */ (['spawnSync', 'execSync', 'execFileSync'])) {
  const original = /** @type {(...args: unknown[]) => unknown} */ (
    /** @type {unknown} */ (childProcess[name])
  );
  Reflect.set(childProcess, name, (/** @type {unknown[]} */ ...args) => {
    note(args.slice(0, 2).flat());
    return original(...args);
  });
}
syncBuiltinESMExports();
