import type { ModeConfig } from '../../../shared/modes.ts';
import type { ToolName } from '../../../shared/tools.ts';
import { editRestriction } from '../../modes/toolsForMode.ts';
import type { BaseTool } from '../../tools/BaseTool.ts';

interface Step {
  tool: ToolName;
  /** What the model would think aloud before the call. */
  says: string;
  params: Readonly<Record<string, string>>;
  result?: string;
}

const DIFF = `<<<<<<< SEARCH
  return a - b;
=======
  return a + b;
>>>>>>> REPLACE`;

const LOOK: readonly Step[] = [
  {
    tool: 'search_files',
    says: 'I look for it first.',
    params: { path: '.', regex: 'function sum' },
    result: '# src/sum.js\n  3 | export function sum(a, b) {',
  },
  {
    tool: 'read_file',
    says: 'Now the file.',
    params: { path: 'src/sum.js' },
    result: '3 | export function sum(a, b) {\n4 |   return a - b;\n5 | }',
  },
];
const MEND: readonly Step[] = [
  {
    tool: 'apply_diff',
    says: 'It subtracts. I mend that.',
    params: { path: 'src/sum.js', diff: DIFF },
    result: "Changed 'src/sum.js': 1 lines added, 1 removed.",
  },
];
const CHECK: readonly Step[] = [
  {
    tool: 'execute_command',
    says: 'Does it hold?',
    params: { command: 'npm test' },
    result: 'Exit code: 0',
  },
];

/** One task from its first call to its last, with only what this mode offers; none where the mode has too little for a task. */
export function workedExample(
  mode: ModeConfig,
  tools: readonly BaseTool[],
  protocol: 'xml' | 'native',
): string[] {
  const offered = new Set(tools.map(({ name }) => name));
  const has = (steps: readonly Step[]): boolean => steps.every(({ tool }) => offered.has(tool));
  if (!has(LOOK)) return [];
  const mends = has(MEND) && editRestriction(mode) === undefined;
  const checks = mends && has(CHECK);
  const result = mends
    ? `sum() in src/sum.js:4 adds now${checks ? '; the tests pass' : ''}.`
    : 'sum() in src/sum.js:4 returns a - b: it subtracts where it should add.';
  const steps: Step[] = [
    ...LOOK,
    ...(mends ? MEND : []),
    ...(checks ? CHECK : []),
    { tool: 'attempt_completion', says: '', params: { result } },
  ];
  const task = mends ? 'sum(2, 3) gives -1. Mend it.' : 'Why does sum(2, 3) give -1?';
  const turns = steps.map(protocol === 'xml' ? asXml : asWords);
  return [`# Example\n\nTask: ${task}\n\n${turns.join('\n\n')}`];
}

function asXml({ tool, says, params, result }: Step): string {
  const rows = Object.entries(params).map(([name, value]) =>
    value.includes('\n') ? `<${name}>\n${value}\n</${name}>` : `<${name}>${value}</${name}>`,
  );
  const call = [...(says === '' ? [] : [says]), `<${tool}>`, ...rows, `</${tool}>`].join('\n');
  return result === undefined ? call : `${call}\n\nResult:\n${result}`;
}

/** Functions are called by the wire's own means: a call in text would be copied as text. */
function asWords({ tool, says, params, result }: Step): string {
  const values = Object.entries(params).map(([name, value]) =>
    value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`,
  );
  const call = [`${says === '' ? '' : `${says} `}Call ${tool} with`, ...values].join('\n');
  return result === undefined ? call : `${call}\nResult:\n${result}`;
}
