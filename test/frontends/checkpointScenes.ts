import type { CheckpointDifference, CheckpointRow } from '../../src/shared/checkpoints.ts';
import { diffDetails } from './webviewAgent.ts';
import type { ScriptedAgent } from './webviewAgent.ts';
import type { Sidebar } from './webviewHarness.ts';
import type { Scene } from './webviewScreenScenes.ts';
import { completedTask, longPath } from './webviewTasks.ts';

const at = Date.parse('2026-11-20T14:03:00');
const rows: CheckpointRow[] = [
  { id: 'k1', at, reason: 'step', callId: 'c1', tool: 'apply_diff', subject: longPath, changed: 1 },
  {
    id: 'k2',
    at: at + 90_000,
    reason: 'step',
    callId: 'c8',
    tool: 'execute_command',
    subject: 'npm test -- --update',
    changed: 12,
  },
  { id: 'k3', at: at + 400_000, reason: 'restore' },
];
const same = { folder: false, outside: false, unsaved: false };
const difference: CheckpointDifference = {
  files: [
    { ...same, path: longPath, change: 'changed', added: 3, removed: 12 },
    { ...same, path: 'README.md', change: 'changed', outside: true, unsaved: true, added: 1, removed: 1 },
    { ...same, path: 'assets/picture.png', change: 'created' },
    { ...same, path: 'src/new', change: 'deleted', folder: true },
    { ...same, path: 'src/new/notes.ts', change: 'deleted', added: 0, removed: 40 },
  ],
  count: 5,
  leftOut: {
    files: [
      { path: '.env', reason: 'secret' },
      { path: 'node_modules/', reason: 'cache' },
      { path: 'videos/demo.mp4', reason: 'too_large' },
    ],
    count: 3,
  },
};

/** A finished task whose steps have checkpoints, and one restore that was done and one that was not. */
export async function taskWithCheckpoints(agent: ScriptedAgent): Promise<void> {
  agent.answers.set('checkpoint/list', () => ({ checkpoints: rows, interrupted: true }));
  agent.answers.set('checkpoint/diff', () => difference);
  agent.answers.set('checkpoint/file', ({ path }) => ({
    ...{ path: String(path), text: true, before: 'a\n', after: 'b\n', patch: diffDetails.patch },
  }));
  agent.answers.set('checkpoint/restore', ({ taskId }) => ({ taskId }));
  await completedTask(agent);
  await agent.say(
    'task-1',
    { type: 'checkpoint_saved', checkpointId: 'k3', reason: 'restore' },
    {
      ...{ type: 'checkpoint_restored', checkpointId: 'k1', undoId: 'k3', savedAt: at },
      ...{ written: 3, removed: 1 },
      problems: [
        { path: 'later', reason: 'holds_more', detail: '' },
        { path: longPath, reason: 'changed', detail: '' },
      ],
    },
    { type: 'checkpoint_saved', checkpointId: 'k4', reason: 'restore' },
  );
}

const openScreen = async ({ byTest }: Sidebar): Promise<void> => {
  await byTest('undo-restore').first().click();
  await byTest('change').first().waitFor();
};

export const checkpointScenes: readonly Scene[] = [
  {
    name: 'checkpoint-list',
    prepare: taskWithCheckpoints,
    act: async ({ page, byTest }) => {
      await page.locator('.task-title').click();
      await byTest('checkpoint').first().waitFor();
    },
  },
  {
    name: 'checkpoint-restored',
    prepare: taskWithCheckpoints,
    act: async ({ page }) => {
      await page.locator('.restored .fold').click();
    },
  },
  {
    name: 'restore',
    prepare: async (agent) => {
      await taskWithCheckpoints(agent);
      const [first] = rows;
      agent.answers.set('checkpoint/list', () => ({
        checkpoints: [{ ...first, id: 'k3' }],
        interrupted: false,
      }));
    },
    act: async (sidebar) => {
      await openScreen(sidebar);
      await sidebar.page.locator('.change-toggle').nth(1).click();
      await sidebar.byTest('diff').waitFor();
    },
  },
  {
    name: 'restore-nothing',
    prepare: async (agent) => {
      await taskWithCheckpoints(agent);
      const leftOut = { files: [], count: 0 };
      agent.answers.set('checkpoint/diff', () => ({ files: [], count: 0, leftOut }));
    },
    act: async ({ byTest }) => {
      await byTest('undo-restore').first().click();
      await byTest('restore-screen').waitFor();
    },
  },
];
