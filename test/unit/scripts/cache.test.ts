import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../scripts/lib/cache.mjs')).href;

/** Installs `thing`: notes that it began, waits until the file `go` exists, then writes one file. */
const INSTALL = `
  import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
  import { installOnce } from ${JSON.stringify(MODULE)};
  const { folder } = process.env;
  await installOnce('thing', async (target) => {
    appendFileSync(folder + '/builds', 'x');
    while (!existsSync(folder + '/go')) await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(target + '/file', 'done');
  });
`;

describe('installing into the cache', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lathe-cache-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    rmSync(folder, { recursive: true });
  });

  const install = (): { child: ChildProcess; ended: Promise<number | null> } => {
    const env = { ...process.env, XDG_CACHE_HOME: folder, folder };
    const child = spawn(process.execPath, ['--input-type=module', '-e', INSTALL], { env, stdio: 'ignore' });
    children.push(child);
    return { child, ended: once(child, 'exit').then(([code]) => code as number | null) };
  };
  const begun = async () => {
    while (!existsSync(join(folder, 'builds'))) await sleep(20);
  };
  const go = () => appendFileSync(join(folder, 'go'), '');
  const builds = () => readFileSync(join(folder, 'builds'), 'utf8').length;
  const cached = () => readdirSync(join(folder, 'lathe'), { recursive: true, encoding: 'utf8' }).sort();

  it('is done once, though two begin together', async () => {
    const [one, other] = [install(), install()];
    await begun();
    go();
    assert.deepEqual(await Promise.all([one.ended, other.ended]), [0, 0]);
    assert.equal(builds(), 1);
    assert.deepEqual(cached(), ['thing', join('thing', 'file')]);
  });

  it('leaves nothing when it is interrupted', async () => {
    const { child, ended } = install();
    await begun();
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.deepEqual(cached(), []);
  });

  it('starts again after it was killed', async () => {
    const { child, ended } = install();
    await begun();
    child.kill('SIGKILL');
    await ended;
    assert.equal(cached().length, 2, 'the lock and the unfinished folder');
    go();
    assert.equal(await install().ended, 0);
    assert.deepEqual([builds(), cached()], [2, ['thing', join('thing', 'file')]]);
  });
});
