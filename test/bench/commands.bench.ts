// What a command costs before and around its run: the verdict, with the grammars loaded, here and by way of the thread that judges;
// and a program that does nothing in the sandbox beside the same one without.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeInThread } from '../../src/core/approval/commands/judgeInThread.ts';
import { judgeCommand, type CommandRules } from '../../src/core/approval/commands/judgeCommand.ts';
import { loadGrammars } from '../../src/core/approval/commands/grammars.ts';
import { sandboxStanding, AT_ONCE } from '../../src/core/approval/sandboxStanding.ts';
import { runSteps } from '../../src/services/sandbox/runSteps.ts';
import { Sandbox } from '../../src/services/sandbox/Sandbox.ts';
import { figure, median, percentile, printTable } from './support/measure.ts';

const ROUNDS = 20;
/** Rounds before, in which V8 compiles what is used. */
const WARMING = 5;
const RUNS = 15;
const FILES = [0, 2_000, 20_000];

const rows = readFileSync(join(import.meta.dirname, '..', 'data', 'commands.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { cmd: string; allow: string[]; deny?: string[]; shell: string })
  .filter(({ shell }) => shell === 'bash');
const rulesOf = ({ allow, deny = [] }: (typeof rows)[number]): CommandRules => ({
  allow,
  deny,
  shell: 'bash',
});
const { signal } = new AbortController();

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const loading = await timed(loadGrammars);
const grammars = await loadGrammars();
const here: number[] = [];
const inThread: number[] = [];
for (let round = 1 - WARMING; round <= ROUNDS; round++)
  for (const row of rows) {
    const direct = await timed(() => judgeCommand(row.cmd, rulesOf(row), grammars));
    const threaded = await timed(() => judgeInThread(row.cmd, rulesOf(row), signal));
    if (round < 1) continue;
    here.push(direct);
    inThread.push(threaded);
  }
console.log(`Verdicts on the ${rows.length} commands of test/data, ${ROUNDS} rounds; ms`);
printTable(
  ['where', 'median', 'p99', 'goal of p99'],
  [
    ['judgeCommand', figure(median(here)), figure(percentile(here, 0.99)), '1'],
    ['in its thread, there and back', figure(median(inThread)), figure(percentile(inThread, 0.99)), ''],
  ],
);
console.log(`loading the grammars, once: ${figure(loading)} ms`);

/** A workspace of so many files, with what a project has that is protected. */
function workspaceOf(files: number): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-bench-sandbox-')));
  for (const folder of ['.git', '.vscode', 'src']) mkdirSync(join(root, folder));
  for (const file of ['.git/config', '.vscode/settings.json', '.env', 'AGENTS.md'])
    writeFileSync(join(root, file), '');
  for (let file = 0; file < files; file++) {
    const folder = join(root, 'src', `folder-${file % 200}`);
    if (file < 200) mkdirSync(folder);
    writeFileSync(join(folder, `file-${file}.ts`), '');
  }
  return root;
}

if (process.platform === 'linux') {
  const notes = mkdtempSync(join(tmpdir(), 'lathe-bench-notes-'));
  const { env: environment, platform } = process;
  const sandbox = new Sandbox({ environment, platform, home: homedir(), folder: notes });
  const steps = [{ argv: ['true'], redirects: [], joint: undefined }];
  const table: string[][] = [];
  for (const files of FILES) {
    const workspace = workspaceOf(files);
    const sandboxed = (writable: boolean) => async () =>
      await sandbox.run({
        ...{ steps, workspace, cwd: workspace, writable, network: false, absent: AT_ONCE, signal },
        classify: sandboxStanding(
          { root: workspace, homes: [notes], deny: [], isIgnored: () => false },
          { writable, git: false },
        ),
        onOutput: () => undefined,
        background: new Promise(() => undefined),
      });
    const plain = async () =>
      await runSteps([{ argv: ['/usr/bin/true'], redirects: [], joint: undefined }], {
        wrap: (argv) => argv,
        environment: {},
        onOutput: () => undefined,
        signal,
        onProcess: () => undefined,
      });
    const missing = await sandbox.missing(workspace);
    if (missing) throw new Error(`no sandbox here: ${missing.key}`);
    const ways: [string, () => Promise<unknown>][] = [
      ['plain', plain],
      ['sandboxed, only looks', sandboxed(false)],
      ['sandboxed, may change', sandboxed(true)],
    ];
    for (const [name, work] of ways) {
      const times: number[] = [];
      for (let run = 0; run <= RUNS; run++) {
        const time = await timed(work);
        if (run > 0) times.push(time);
      }
      table.push([`${files} files`, name, figure(median(times))]);
    }
    rmSync(workspace, { recursive: true, force: true });
  }
  rmSync(notes, { recursive: true, force: true });
  console.log('`true`, plain and in the sandbox; medians in ms');
  printTable(['workspace', 'how', 'ms'], table);
  console.log(execFileSync('bwrap', ['--version'], { encoding: 'utf8' }).trim());
}
process.exit();
