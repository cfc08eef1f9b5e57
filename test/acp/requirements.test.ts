import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { requirements } from '../../scripts/acp-table.mjs';

/** The requirements of the protocol's pages on tool calls and on the prompt turn. */
const IDS = [
  ...Array.from({ length: 13 }, (_, index) => `T${index + 1}`),
  ...Array.from({ length: 19 }, (_, index) => `P${index + 1}`),
];

describe('ACP: requirements', () => {
  it('each has a test', () => {
    const tested = new Set(requirements().map(({ id }) => id));
    assert.deepEqual(
      IDS.filter((id) => !tested.has(id)),
      [],
    );
  });

  it('docs/acp.md says what the tests say', () => {
    const script = join(import.meta.dirname, '..', '..', 'scripts', 'acp-table.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
