import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { loadGrammars, type Grammars } from '../../src/core/approval/commands/grammars.ts';
import { judgeCommand, type CommandRules } from '../../src/core/approval/commands/judgeCommand.ts';
import type { Shell } from '../../src/core/approval/commands/Reading.ts';
import { message, translate } from '../../src/shared/strings.ts';

interface Row {
  id: string;
  cmd: string;
  shell: Shell;
  allow: string[];
  deny?: string[];
  expect: 'auto' | 'ask' | 'deny';
}

const rows = readFileSync(join(import.meta.dirname, '..', 'data', 'commands.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const common = [
  ...[
    'git status',
    'git log',
    'git diff',
    'git show',
    'ls',
    'cat',
    'echo',
    'pwd',
    'rg',
    'grep',
    'find',
    'head',
    'tail',
  ],
  ...['wc', 'sort', 'npm test', 'npm run'],
];

describe('commands', () => {
  let grammars: Grammars;
  before(async () => {
    // Else the process would wait at its end for a better compilation of the grammars.
    setFlagsFromString('--liftoff-only');
    grammars = await loadGrammars();
  });

  const judge = (command: string, rules: Partial<CommandRules> = {}) =>
    judgeCommand(command, { allow: common, deny: [], shell: 'bash', ...rules }, grammars);
  const verdicts = (commands: readonly string[], rules: Partial<CommandRules> = {}) =>
    Object.fromEntries(commands.map((command) => [command, judge(command, rules).verdict]));
  const all = (commands: readonly string[], verdict: string) =>
    Object.fromEntries(commands.map((command) => [command, verdict]));

  describe('of the collected data', () => {
    for (const { id, cmd, shell, allow, deny = [], expect } of rows)
      it(`${id}: ${expect} for ${JSON.stringify(cmd.slice(0, 60))}`, () => {
        const judged = judge(cmd, { shell, allow, deny });
        assert.deepEqual(
          { verdict: judged.verdict, steps: judged.steps.length > 0 },
          { verdict: expect, steps: expect === 'auto' },
          judged.why.map((why) => translate('en', why)).join(' '),
        );
      });
  });

  it('says what runs, step by step', () => {
    const judged = judge('git log -n 5 "a b"c\\;d 2>/dev/null | head -3 && ls src/*.ts; pwd');
    assert.deepEqual(judged, {
      verdict: 'auto',
      why: ['git log', 'head', 'ls', 'pwd'].map((rule) => message('command.allowed', { rule })),
      argv: [['git', 'log', '-n', '5', 'a bc;d'], ['head', '-3'], ['ls', 'src/*.ts'], ['pwd']],
      parts: [
        ['git log -n 5 "a b"c\\;d', 'git log', ['git', 'log', '-n', '5', 'a bc;d']],
        ['head -3', 'head', ['head', '-3']],
        ['ls src/*.ts', 'ls', ['ls', 'src/*.ts']],
        ['pwd', 'pwd', ['pwd']],
      ].map(([source, rule, argv]) => ({
        source,
        argv,
        verdict: 'auto',
        why: [message('command.allowed', { rule: String(rule) })],
      })),
      steps: [
        {
          argv: ['git', 'log', '-n', '5', 'a bc;d'],
          patterns: [],
          redirects: [{ descriptor: 2, operator: '>', target: '/dev/null' }],
          joint: '|',
          operands: [{ path: 'a bc;d', pattern: false, recursive: true }],
          changes: false,
        },
        { argv: ['head', '-3'], patterns: [], redirects: [], joint: '&&', operands: [], changes: false },
        {
          argv: ['ls', 'src/*.ts'],
          patterns: [1],
          redirects: [],
          joint: ';',
          operands: [{ path: 'src/*.ts', pattern: true, recursive: false }],
          changes: false,
        },
        { argv: ['pwd'], patterns: [], redirects: [], joint: undefined, operands: [], changes: false },
      ],
    });
  });

  it('a command that is too long to be read asks, and what is denied in it stays denied', () => {
    const long = `ls ${'a'.repeat(5000)}`;
    const verdictOf = (command: string, deny: string[] = []): unknown[] => {
      const { verdict, why, argv } = judge(command, { deny });
      return [verdict, why.map(({ key }) => key), argv.map(([program]) => program)];
    };
    assert.deepEqual(verdictOf(long), ['ask', ['command.tooLong'], ['ls']]);
    assert.deepEqual(verdictOf(`${long} $(id)`), [
      'ask',
      ['command.tooLong', 'command.substitution', 'command.notAllowed'],
      ['id'],
    ]);
    assert.deepEqual(verdictOf(`${long}; curl x`, ['curl'])[0], 'deny');
    assert.deepEqual(verdictOf(`${long} > .git/hooks/x`)[0], 'deny');
  });

  it('lets a person read what people and models run all day', () => {
    const commands = [
      'git status -sb',
      'git --no-pager log --oneline -20 -- src',
      'git log --since="2 days ago" --format=%h%x09%s main..topic',
      'git diff --stat HEAD~3',
      'git diff --cached -U5 src/a.ts',
      'git show HEAD:src/a.ts',
      'cat src/a.ts | head -n 40',
      'rg -n "foo\\(" src -g "*.ts" | wc -l',
      "rg 'a|b$' -t ts -A3",
      'grep -rn "TODO" src',
      'grep -n foo$ src/a.ts || echo none',
      'grep -r --include="*.ts" foo .',
      'find . -name "*.ts" -not -path "./node_modules/*" -type f -maxdepth 3',
      'find src \\( -name a -o -name b \\) -print',
      'sort -u -k2,2n a.txt',
      'ls -la ./src 2>&1 >/dev/null',
      'npm test',
      'npm run build:all',
      "echo 'it'\"'\"'s' \"a \\\"b\\\"\" ''",
      'git status\n\nls\n',
    ];
    const expected = all(commands, 'auto');
    // A dollar that stands alone outside of quotes.
    expected['grep -n foo$ src/a.ts || echo none'] = 'ask';
    assert.deepEqual(verdicts(commands), expected);
  });
});
