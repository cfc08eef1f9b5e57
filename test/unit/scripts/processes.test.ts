import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { descendants, run, startTime, stopTree } from '../../../scripts/lib/processes.mjs';

/** Starts a child that starts a child, says their numbers, and waits. */
const TREE = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  console.log(process.pid + ' ' + child.pid);
  setInterval(() => undefined, 1000);
`;

describe('processes', () => {
  it('gives the exit code and the lines', async () => {
    const lines: string[] = [];
    const script = `console.log('one\\ntwo'); process.exitCode = 3`;
    const result = await run(process.execPath, ['-e', script], { onLine: (line) => lines.push(line) });
    assert.deepEqual([result, lines], [{ code: 3, timedOut: false }, ['one', 'two']]);
  });

  it('says that a program is not there', async () => {
    await assert.rejects(run('/nowhere/program', []), /ENOENT/);
  });

  it('stops a program past its time, with what it started', async () => {
    let pids: number[] = [];
    const { timedOut } = await run(process.execPath, ['-e', TREE], {
      timeout: 4000,
      onLine: (line) => (pids = line.split(' ').map(Number)),
    });
    assert.equal(timedOut, true);
    assert.equal(pids.length, 2);
    assert.deepEqual(pids.map(startTime), [undefined, undefined]);
  });

  it('finds what is below a process, and stops all of it', async () => {
    const child = spawn(process.execPath, ['-e', TREE], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    const [pid = 0, below = 0] = String(output).split(' ').map(Number);
    assert.deepEqual(await descendants(pid), [below]);
    await stopTree(pid);
    assert.deepEqual([pid, below].map(startTime), [undefined, undefined]);
  });
});
