// Saves checkpoints of a workspace while the disk takes no more, and goes on when there is room in it. Says each outcome.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Checkpoints } from '../../../src/core/checkpoints/Checkpoints.ts';
import { NodeFileHost } from '../../../src/hosts/node/NodeFileHost.ts';

const [root = '', home = '', bytes = ''] = process.argv.slice(2);
const checkpoints = new Checkpoints({ home, files: new NodeFileHost(), budget: () => 1e9 });
const { signal } = new AbortController();

async function save(): Promise<void> {
  const about = { taskId: 't1', reason: 'step' as const };
  try {
    const { id } = await checkpoints.do(root, { type: 'save', about, edits: [] }, signal);
    writeSync(1, `saved ${id}\n`);
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'something else';
    writeSync(1, `${reason}\n`);
  }
}

await save();
const parts = Array.from({ length: 8 }, (_, at) => join(root, `big-${at}.bin`));
// Each may be written by this process; all together may not be kept by it.
for (const part of parts) writeFileSync(part, randomBytes(Number(bytes)));
await save();
await save();
for (const part of parts) rmSync(part);
writeFileSync(join(root, 'a.txt'), 'two\n');
await save();
await checkpoints.dispose();
