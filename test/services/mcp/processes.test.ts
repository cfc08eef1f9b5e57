import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpOutcome } from '../../../src/shared/mcp.ts';
import { callStub, isAlive, serverOf, stubEntry, textOf, withBench } from './hubBench.ts';

describe('McpHub: processes', function () {
  this.timeout(120_000);
  const bench = withBench();

  it('leaves no server behind when it is killed without a chance to end it', async function () {
    if (process.platform === 'win32') this.skip();
    const b = bench();
    b.user({ stub: stubEntry({ stubborn: true }) });
    const host = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'hubProcess.ts'), b.home, b.workspace],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const line = await new Promise<string>((resolve, reject) => {
      host.once('exit', (code) => reject(new Error(`it ended with ${code ?? 'a signal'}`)));
      host.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    const pid = Number(textOf(JSON.parse(line) as McpOutcome));
    assert.equal(isAlive(pid), true);
    host.removeAllListeners('exit');
    host.kill('SIGKILL');
    for (let round = 0; round < 100 && isAlive(pid); round++) await delay(100);
    assert.equal(isAlive(pid), false);
  });

  it('has one guardian for all its servers, which ends with it', async function () {
    if (process.platform === 'win32') this.skip();
    const b = bench();
    b.user(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`s${index}`, stubEntry()])));
    const hub = b.unstarted();
    await hub.start();
    await hub.settled(AbortSignal.timeout(60_000));
    assert.equal(guardians().length, 1);
    await hub.dispose();
    for (let round = 0; round < 50 && guardians().length > 0; round++) await delay(100);
    assert.deepEqual(guardians(), []);
  });

  it('holds fifty servers at once, one of which never answers', async () => {
    const b = bench();
    const names = Array.from({ length: 49 }, (_, index) => `s${index}`);
    b.user({
      ...Object.fromEntries(names.map((name) => [name, stubEntry()])),
      stub: stubEntry({ silent: true }, { timeout: 1 }),
    });
    const hub = b.unstarted();
    await hub.start();
    await hub.settled(AbortSignal.timeout(100_000));
    assert.deepEqual(
      names.map((name) => serverOf(hub, name).state.type),
      names.map(() => 'ready'),
    );
    assert.notEqual(serverOf(hub).state.type, 'ready');
    assert.match(textOf(await callStub(hub, 'echo', { text: 'x' })), /^validation: .*has no tool 'echo' now/);
  });
});

/** Shells of this process that wait to end what it would leave behind. */
function guardians(): string[] {
  return execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => Number.parseInt(line, 10) === process.pid && line.includes("trap '' INT TERM HUP"));
}
