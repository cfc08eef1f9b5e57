// Writes docs/tools.md: every tool by its own description, and what the test of every tool sees of calls that are wrong, refused or stopped.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);

const { status } = spawnSync(
  process.execPath,
  [
    ...['--import', 'tsx', join('node_modules', 'mocha', 'bin', 'mocha.js'), '--no-config'],
    ...['--timeout', '60000', '--reporter', 'dot', join('test', 'tools', 'everyTool.test.ts')],
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, UPDATE_SNAPSHOTS: '1' } },
);
process.exitCode = status ?? 1;
