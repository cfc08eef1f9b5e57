import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// The rows about the sandbox are tests of Linux alone.
if (process.platform === 'linux')
  describe('docs/security.md', function () {
    this.timeout(120_000);
    it('names the advisories that have tests', () => {
      const script = join(import.meta.dirname, '..', '..', 'scripts', 'security-table.mjs');
      const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    });
  });
