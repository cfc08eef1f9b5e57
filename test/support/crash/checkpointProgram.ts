// Saves states of a workspace, and goes back to the first. Says each when it is acknowledged.
import { appendFileSync, existsSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CheckpointStore, type Walk } from '../../../src/services/checkpoints/CheckpointStore.ts';

const [root = '', folder = ''] = process.argv.slice(2);
const walk: Walk = {
  limits: { file: 1e7, entries: 1e5, bytes: 1e9 },
  withheld: () => undefined,
  withheldStamp: '',
  isUsablePattern: () => true,
  signal: new AbortController().signal,
};
const store = new CheckpointStore(root, folder);
const about = { taskId: 't1', reason: 'step' } as const;
const { id: first } = await store.save(about, [], walk);
writeSync(1, `saved ${first}\n`);
appendFileSync(join(root, 'a.txt'), 'changed\n');
appendFileSync(join(root, 'folder', 'new.txt'), 'new\n');
if (existsSync(join(root, 'gone.txt'))) unlinkSync(join(root, 'gone.txt'));
const { id: undo } = await store.save({ taskId: 't1', reason: 'restore' }, [], walk);
writeSync(1, `undo ${undo}\n`);
await store.restore(first, undo, new Set(), walk);
writeSync(1, `restored ${first}\n`);
store.prune({ bytes: 1e9, count: 100 });
writeSync(1, `pruned ${first}\n`);
