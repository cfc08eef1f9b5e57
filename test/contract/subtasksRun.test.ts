import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { run } from '../../src/frontends/cli/run.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { SubtaskBench } from '../support/SubtaskBench.ts';

const call = (text: string, name: string, params: Record<string, string>): Reply => ({
  text: `${text}\n${xmlCall(name, params)}`,
});
const subtask = (script: string): Reply =>
  call('I give it out.', 'new_task', { mode: 'ask', message: `Look (script:${script})` });

describe('a subtask of `lathe run`', function () {
  this.timeout(30_000);
  let bench: SubtaskBench;
  afterEach(async () => await bench.stop());

  /** Runs the script `parent`; `typed` are the answers at the terminal, if there is one. */
  async function ran(typed?: readonly string[]): Promise<{ code: number; output: string; status: string }> {
    let output = '';
    let status = '';
    const input = new PassThrough();
    const terminal = typed && createInterface({ input, output: new PassThrough(), terminal: false });
    const agent = await bench.agent({
      automatic: { switchMode: true, edit: false },
      ...(typed ? { answer: () => undefined } : {}),
    });
    const answers = [...(typed ?? [])];
    const code = await run({
      agent: agent.agent,
      begin: { text: 'script:parent' },
      locale: 'en',
      output: (text) => (output += text),
      status: (text) => {
        status += text;
        // Typed when the choices are read: what comes before a question is no answer to it.
        if (/^ +2\. /.test(text)) setImmediate(() => input.write(`${answers.shift() ?? ''}\n`));
      },
      terminal,
      signal: new AbortController().signal,
    });
    terminal?.close();
    return { code, output, status };
  }

  it('goes on to its parent’s end; what it says is indented among the calls and no part of the answer', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), call('', 'attempt_completion', { result: 'There are two.' })],
      child: [
        call('First I look.\nThen I count.', 'list_files', { path: '.' }),
        call('', 'attempt_completion', { result: 'Two files.' }),
      ],
    });
    assert.deepEqual(await ran(), {
      code: 0,
      output: 'I give it out.\nThere are two.\n',
      status: [
        '> new_task Look (script:child)',
        '  First I look.',
        '  Then I count.',
        '  > list_files .',
        '  Two files.',
        '',
      ].join('\n'),
    });
  });

  it('asks at the terminal', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), call('', 'attempt_completion', { result: 'Written.' })],
      child: [
        call('', 'ask_followup_question', {
          question: 'Which?',
          follow_up: '<suggest>A</suggest><suggest>B</suggest>',
        }),
        call('', 'attempt_completion', { result: 'B it is.' }),
      ],
    });
    const { code, status } = await ran(['2']);
    assert.equal(code, 0);
    assert.match(status, /Which\?\n {2}1\. A\n {2}2\. B/);
    assert.match(bench.model.requests[2]?.text ?? '', /<answer>\\nB\\n<\/answer>/);
  });

  it('whose question nobody is there to answer ends the run as a question of its own would', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child')],
      child: [call('', 'ask_followup_question', { question: 'Which?', follow_up: '<suggest>A</suggest>' })],
    });
    const { code } = await ran();
    assert.equal(code, 4);
    const [parent, child] = await bench.tasks(await bench.agent());
    assert.deepEqual([parent?.state, child?.state], ['question', 'question']);
  });
});
