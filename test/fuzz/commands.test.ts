import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { expandPattern } from '../../src/core/approval/commands/expandPattern.ts';
import { loadGrammars } from '../../src/core/approval/commands/grammars.ts';
import { judgeCommand, type Judgement } from '../../src/core/approval/commands/judgeCommand.ts';
import { NodeFileHost } from '../../src/hosts/node/NodeFileHost.ts';
import { ALLOWED, RandomCommands } from './randomCommands.ts';
import { FAILING, RealBash } from './realBash.ts';

const { LATHE_FUZZ_SEED: seedGiven, LATHE_FUZZ_CASES: casesWanted } = process.env;
/** A new one each time: a failure says which, and `LATHE_FUZZ_SEED` repeats it. */
const seed = seedGiven === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(seedGiven);
const cases = Number(casesWanted ?? 5000);
const AT_ONCE = 250;
/** Bashes at a time. */
const LANES = Math.min(4, availableParallelism());

const programs = [...new Set(ALLOWED.map((rule) => rule.split(' ')[0] ?? ''))];

/** Nothing is taken on trust: a shell says what a command runs, and it must be what the judge said. */
if (process.platform === 'linux')
  describe('commands that are judged automatic', function () {
    this.timeout(Math.max(600_000, cases * 100));

    it(`run in real bash exactly what was predicted (${cases} of them, seed ${seed})`, async () => {
      setFlagsFromString('--liftoff-only');
      const grammars = await loadGrammars();
      const bash = new RealBash(programs);
      try {
        const before = bash.files();
        const random = new RandomCommands(seed);
        const places = { workspace: bash.folder, cwd: bash.folder, absolute: true, homes: [] };
        let tried = 0;
        const lanes: Promise<Error | undefined>[] = [];
        const check = async (
          commands: readonly string[],
          predicted: readonly string[][][],
        ): Promise<void> => {
          const really = await bash.run(commands);
          commands.forEach((command, at) =>
            assert.deepEqual(
              inOrder(really[at]),
              inOrder(predicted[at]),
              `seed ${seed}: ${JSON.stringify(command)}`,
            ),
          );
        };
        for (let ran = 0, batch = 0; ran < cases; batch++) {
          const commands: string[] = [];
          const predicted: string[][][] = [];
          while (commands.length < Math.min(AT_ONCE, cases - ran)) {
            tried++;
            const command = random.next();
            const judged = judgeCommand(
              command,
              { allow: ALLOWED, deny: [], shell: 'bash', places },
              grammars,
            );
            if (judged.verdict !== 'auto') continue;
            commands.push(command);
            predicted.push(await predictedBy(judged, bash.folder));
          }
          // While bash runs these the next are thought of.
          await settled(lanes[batch % LANES]);
          lanes[batch % LANES] = check(commands, predicted).then(
            () => undefined,
            (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
          );
          ran += commands.length;
        }
        for (const lane of lanes) await settled(lane);
        assert.deepEqual(bash.files(), before, `seed ${seed}: a file was made or lost`);
        process.stdout.write(
          `    ${cases} automatic of ${tried} random commands, seed ${seed}: all as predicted\n`,
        );
      } finally {
        bash.close();
      }
    });

    it('the oracle notices a wrong prediction, a file, and a program that was not allowed', async () => {
      const bash = new RealBash(programs);
      try {
        const [quoted, unknown, all] = await bash.run([
          `echo "a b" c`,
          'nothing x; ls',
          'cat src/*.ts || pwd | wc',
        ]);
        assert.deepEqual(quoted, [['echo', 'a b', 'c']]);
        assert.deepEqual(unknown, [['nothing', 'x'], ['ls']]);
        assert.deepEqual(all, [['cat', 'src/a.ts', 'src/b.ts', 'src/two words.ts']]);
        const before = bash.files();
        await bash.run(['ls > made']);
        assert.deepEqual(bash.files(), [...before, 'made'].toSorted());
      } finally {
        bash.close();
      }
    });
  });

/** Waits for a lane. @throws what it failed with */
async function settled(lane: Promise<Error | undefined> | undefined): Promise<void> {
  const failure = await lane;
  if (failure) throw failure;
}

/** What our own runner would start, given how the stubs end. */
async function predictedBy({ steps }: Judgement, folder: string): Promise<string[][]> {
  const files = new NodeFileHost();
  const started: string[][] = [];
  let succeeded = true;
  let runs = true;
  for (const { argv, patterns, joint } of steps) {
    if (runs) {
      const words = await Promise.all(
        argv.map(async (word, at) =>
          patterns.includes(at) ? await expandPattern(word, folder, files) : [word],
        ),
      );
      started.push(words.flat());
      // A pipeline ends as its last program does.
      succeeded = argv[0] !== FAILING;
    }
    if (joint !== '|') runs = joint === ';' || (joint === '&&' ? succeeded : !succeeded);
  }
  return started;
}

/** Programs of a pipeline start in any order. */
function inOrder(ran: string[][] = []): string[] {
  return ran.map((argv) => JSON.stringify(argv)).toSorted();
}
