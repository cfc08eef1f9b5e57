// What a checkpoint costs a step, beside git doing the same with an index and a folder of its own, on workspaces of growing size.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Checkpoints } from '../../src/core/checkpoints/Checkpoints.ts';
import { NodeFileHost } from '../../src/hosts/node/NodeFileHost.ts';
import { figure, growthExponent, median, printTable } from './support/measure.ts';

const SIZES = [1_000, 10_000, 20_000, 50_000];
const RUNS = 7;
const signal = new AbortController().signal;

function treeOf(files: number): string {
  const root = mkdtempSync(join(tmpdir(), 'lathe-bench-checkpoint-'));
  const line = '  return respond(request, table.get("key"));\n';
  for (let file = 0; file < files; file++) {
    const path = join(root, `folder-${file % 97}`, `deeper-${file % 13}`, `file-${file}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `// ${file}\n${line.repeat(100)}`);
  }
  return root;
}

async function timedAsync(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const points: { size: number; time: number }[] = [];
const rows: string[][] = [];
for (const size of SIZES) {
  const root = treeOf(size);
  const home = mkdtempSync(join(tmpdir(), 'lathe-bench-home-'));
  const checkpoints = new Checkpoints({ home, files: new NodeFileHost(), budget: () => 4 * 1024 ** 3 });
  const save = async (): Promise<string> => {
    const about = { taskId: 'bench', reason: 'step' as const };
    return (await checkpoints.do(root, { type: 'save', about, edits: [] }, signal)).id;
  };
  const change = (): void => {
    for (const file of [1, 2, 3])
      appendFileSync(join(root, `folder-${file}`, `deeper-${file}`, `file-${file}.ts`), 'x\n');
  };
  const git = { ...process.env, GIT_DIR: join(home, 'git'), GIT_WORK_TREE: root };
  const gitSave = (): void => {
    execFileSync('git', ['add', '-A'], { env: git, cwd: root, stdio: 'pipe' });
    execFileSync('git', ['write-tree'], { env: git, cwd: root, stdio: 'pipe' });
  };
  try {
    execFileSync('git', ['init', '-q', '--bare', join(home, 'git')], { stdio: 'pipe' });
    const first = await timedAsync(save);
    const gitFirst = await timedAsync(gitSave);
    const steps: number[] = [];
    const gitSteps: number[] = [];
    const restores: number[] = [];
    await save();
    for (let run = 0; run < RUNS; run++) {
      change();
      steps.push(await timedAsync(save));
      gitSteps.push(await timedAsync(gitSave));
    }
    for (let run = 0; run < 3; run++) {
      const id = await save();
      change();
      const undoId = await save();
      const work = { type: 'restore' as const, id, undoId, leave: [] };
      restores.push(await timedAsync(async () => await checkpoints.do(root, work, signal)));
    }
    points.push({ size, time: median(steps) });
    rows.push(
      [
        `${size} files  a step that changed 3`,
        figure(median(steps)),
        figure(median(gitSteps)),
        size === 20_000 ? '300' : '',
      ],
      [`${size} files  the first, beside the model`, figure(first), figure(gitFirst), ''],
      [`${size} files  restoring 3`, figure(median(restores)), '', ''],
    );
  } finally {
    await checkpoints.dispose();
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  }
}
console.log('Checkpoints of workspaces with 4 KB files; ms, medians');
printTable(['what', 'ms', 'git', 'goal'], rows);
console.log(`growth exponent over files, a step: ${growthExponent(points).toFixed(3)}`);
