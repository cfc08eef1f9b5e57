// What a request costs before anyone has said a word: the system prompt and the functions, in tokens of the o200k tokenizer, and how
// far off our own estimate of them is. Below, what condensing a long task costs and saves, by the size of the task.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { apiMessages } from '../../src/core/task/apiMessages.ts';
import { condensePoint } from '../../src/core/context/condensePoint.ts';
import { estimateRequest } from '../../src/core/context/estimateTokens.ts';
import { isToolAllowedForMode, toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { systemPrompt } from '../../src/core/prompts/system.ts';
import { nativeTools } from '../../src/core/prompts/tools/index.ts';
import { tools } from '../../src/core/tools/index.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { builtInModes } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { toolNames, type ToolName } from '../../src/shared/tools.ts';
import { figure, growthExponent, median, printTable, timed } from './support/measure.ts';

const code = builtInModes.find(({ slug }) => slug === 'code');
if (!code) throw new Error('there is no code mode');
const settings = editorSettingsSchema.parse({});
const offered = (compact: boolean): ToolName[] =>
  toolsForMode(code, { compact, settings, isAvailable: () => true });

function row(
  title: string,
  names: readonly ToolName[],
  protocol: 'xml' | 'native',
  compact: boolean,
  goal: number,
): string[] {
  const used = names.map((name) => tools[name]);
  const describe = { protocol, settings, singleFileRead: compact, modes: [...builtInModes] };
  const system = systemPrompt({
    mode: code as NonNullable<typeof code>,
    modes: builtInModes,
    tools: used,
    describe,
    compact,
    projectRules: [],
    personalRules: [],
    platform: 'linux',
    shell: 'bash',
    workspace: 'project',
    date: '2026-01-31',
  });
  const functions = protocol === 'native' ? nativeTools(used, describe) : undefined;
  const tokens = countTokens(system) + (functions ? countTokens(JSON.stringify(functions)) : 0);
  const estimate = estimateRequest({
    model: 'm',
    system,
    messages: [],
    ...(functions ? { tools: functions } : {}),
  });
  return [
    title,
    String(names.length),
    String(tokens),
    `≤ ${goal}`,
    `${Math.round((estimate / tokens) * 100)}%`,
  ];
}

console.log('System prompt and functions in code mode, tokens (o200k)');
const everything = toolNames.filter((name) => isToolAllowedForMode(name, code));
printTable(
  ['prompt', 'tools', 'tokens', 'goal', 'estimate'],
  [
    row('XML, every tool', everything, 'xml', false, 6000),
    row('native, every tool', everything, 'native', false, 5000),
    row('XML, as offered', offered(false), 'xml', false, 6000),
    row('native, as offered', offered(false), 'native', false, 5000),
    row('XML, compact', offered(true), 'xml', true, 2000),
    row('native, compact', offered(true), 'native', true, 2000),
  ],
);

/** A task of so many calls, each with a result of about 1,000 tokens. */
function journal(calls: number): JournalEntry[] {
  const model = { profile: 'p', provider: 't', model: 'm', protocol: 'native' as const };
  const entries: JournalEntry[] = [
    { seq: 1, at: 0, type: 'task_started', version: 1, taskId: 't', cwd: '/w', mode: 'code' },
    { seq: 2, at: 0, type: 'user_message', text: 'Look at every file.' },
  ];
  const view = { kind: 'read' as const, subject: 'a.ts', locations: [] };
  for (let call = 0; call < calls; call++) {
    const id = `call-${call}`;
    const at = { at: 0 };
    const seq = entries.length;
    entries.push(
      { seq: seq + 1, ...at, type: 'request_started', requestId: id, model, hash: '' },
      {
        seq: seq + 2,
        ...at,
        type: 'request_finished',
        requestId: id,
        stopReason: 'tool_calls',
        durationMs: 1,
      },
      {
        seq: seq + 3,
        ...at,
        type: 'assistant_message',
        requestId: id,
        content: [
          { type: 'text', text: 'I read on.', partial: false },
          {
            type: 'tool_use',
            id,
            name: 'read_file',
            origin: 'native',
            params: { path: 'a.ts' },
            nativeArgs: { path: 'a.ts' },
            partial: false,
          },
        ],
      },
      {
        seq: seq + 4,
        ...at,
        type: 'tool_finished',
        callId: id,
        tool: 'read_file',
        outcome: 'done',
        view,
        content: [{ type: 'text', text: 'const total = 1;\n'.repeat(210) }],
        durationMs: 1,
      },
    );
  }
  return entries;
}

console.log('\nA task as messages, with its estimate; and finding where to condense it (ms)');
const head = { model: 'm', system: '' };
const reference = { profile: 'p', provider: 't', model: 'm', protocol: 'native' as const };
const sizes = [100, 1000, 10_000].map((calls) => {
  const entries = journal(calls);
  const runs = calls > 1000 ? 3 : 9;
  const measure = (work: () => void): number => median(Array.from({ length: runs }, () => timed(work)));
  return {
    calls,
    messages: measure(() => estimateRequest({ ...head, messages: apiMessages(entries, reference) })),
    point: measure(() => condensePoint(entries, 20_000)),
  };
});
const growth = (pick: (size: (typeof sizes)[number]) => number): string =>
  figure(growthExponent(sizes.map((size) => ({ size: size.calls, time: pick(size) }))));
printTable(
  ['', ...sizes.map(({ calls }) => `${calls} calls`), 'growth'],
  [
    [
      'messages and estimate',
      ...sizes.map(({ messages }) => figure(messages)),
      growth(({ messages }) => messages),
    ],
    ['condense point', ...sizes.map(({ point }) => figure(point)), growth(({ point }) => point)],
  ],
);
