import assert from 'node:assert/strict';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

describe('ask_followup_question', () => {
  const create = withContext();

  it('takes the same call in XML and natively, text as it is', () => {
    const xml = parseXml(
      '<ask_followup_question>\n<question>Is a &lt; b <i>ok</i>?</question>\n<follow_up>\n<suggest>Yes, a &amp; b < c</suggest>\n<suggest mode="code">No,\nbuild it</suggest>\n</follow_up>\n</ask_followup_question>',
    );
    const native = parseNative('ask_followup_question', {
      question: 'Is a &lt; b <i>ok</i>?',
      follow_up: [
        { text: 'Yes, a &amp; b < c', mode: null },
        { text: 'No,\nbuild it', mode: 'code' },
      ],
    });
    const expected = {
      question: 'Is a &lt; b <i>ok</i>?',
      suggestions: [{ text: 'Yes, a &amp; b < c' }, { text: 'No,\nbuild it', mode: 'code' }],
    };
    return Promise.all(
      [xml, native].map(async (call) => {
        const context = await create();
        await context.run(call);
        assert.deepEqual(context.asked, [expected]);
      }),
    );
  });

  it('takes suggestions however models write them', async () => {
    const cases: [string, { text: string; mode?: string }[]][] = [
      ['- Yes\n- No', [{ text: 'Yes' }, { text: 'No' }]],
      ['1. Yes\n2. No\n\n', [{ text: 'Yes' }, { text: 'No' }]],
      ['["Yes", "No"]', [{ text: 'Yes' }, { text: 'No' }]],
      ["<suggest mode='ask'>Yes</suggest><suggest></suggest>", [{ text: 'Yes', mode: 'ask' }]],
      ['<suggest>Yes</suggest>\n<suggest>No', [{ text: 'Yes' }, { text: 'No' }]],
      ['<suggest>a</b> & <c></suggest>', [{ text: 'a</b> & <c>' }]],
      ['', []],
    ];
    for (const [follow_up, suggestions] of cases) {
      const context = await create();
      const { error } = await context.xml('ask_followup_question', { question: 'So?', follow_up });
      assert.equal(error, undefined);
      assert.deepEqual(context.asked, [{ question: 'So?', suggestions }], follow_up);
    }
    const context = await create();
    await context.native('ask_followup_question', { question: 'So?', follow_up: '["Yes"]' });
    await context.native('ask_followup_question', { question: 'And?', follow_up: null });
    assert.deepEqual(context.asked, [
      { question: 'So?', suggestions: [{ text: 'Yes' }] },
      { question: 'And?', suggestions: [] },
    ]);
  });

  it('gives the answer with its pictures, and goes to the mode that was picked', async () => {
    const images = [{ mediaType: 'image/png', data: 'AA==' }];
    const context = await create({ answer: { answer: 'PostgreSQL', images, mode: 'architect' } });
    const { response, prepared } = await context.xml('ask_followup_question', { question: 'Which?' });
    assert.deepEqual(prepared?.actions, []);
    assert.deepEqual(response, {
      content: [
        { type: 'text', text: '<answer>\nPostgreSQL\n</answer>' },
        { type: 'image', mediaType: 'image/png', data: 'AA==' },
      ],
    });
    assert.deepEqual(context.switched, [{ slug: 'architect' }]);
  });

  it('ends the turn where nobody answers now', async () => {
    const context = await create();
    const { response } = await context.xml('ask_followup_question', { question: 'Which?' });
    assert.deepEqual(response, {
      content: 'The question was put to the person; their answer comes as the next message.',
      ends: { reason: 'question', result: 'Which?' },
    });
  });

  it('refuses what is no question', async () => {
    const context = await create();
    const cases: [Record<string, unknown>, RegExp][] = [
      [{}, /Missing required parameter 'question'/],
      [{ question: '' }, /'question'/],
      [{ question: '  ' }, /'question'/],
      [{ question: 5 }, /'question'/],
      [{ question: 'x', follow_up: [5] }, /'follow_up/],
      [{ question: 'x', follow_up: Array<string>(50).fill('y') }, /'follow_up'/],
    ];
    for (const [args, expected] of cases) {
      const { error } = await context.native('ask_followup_question', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args));
    }
    assert.deepEqual(context.asked, []);
  });
});

describe('attempt_completion', () => {
  const create = withContext();

  it('takes the same call in XML and natively, and ends the turn with its result', async () => {
    const result = 'Done: `a < b` and\n</result> &amp; all.';
    const context = await create();
    for (const outcome of [
      await context.xml('attempt_completion', { result }),
      await context.native('attempt_completion', { result: `\n${result}\n` }),
    ]) {
      assert.deepEqual(outcome.prepared?.actions, []);
      assert.deepEqual(outcome.response, {
        content: 'The task is complete.',
        ends: { reason: 'completed', result },
      });
    }
  });

  it('is refused while a call of the same message failed', async () => {
    const context = await create();
    const { error, response } = await context.native(
      'attempt_completion',
      { result: 'Done.' },
      { failed: ['apply_diff', 'execute_command'] },
    );
    assert.equal(
      error,
      'Not completed: apply_diff, execute_command failed in the same message. See to that first, then complete.',
    );
    assert.equal(response, undefined);
  });

  it('needs a result', async () => {
    const context = await create();
    for (const args of [
      {},
      { result: '' },
      { result: ' \n ' },
      { result: null },
      { result: { text: 'x' } },
    ]) {
      const { error } = await context.native('attempt_completion', args);
      assert.match(error ?? 'no error', /'result'/, JSON.stringify(args));
    }
  });
});

describe('switch_mode', () => {
  const create = withContext();

  it('takes the same call in XML and natively', () => {
    const xml = parseXml(
      '<switch_mode>\n<mode_slug> ask </mode_slug>\n<reason>To a < b</reason>\n</switch_mode>',
    );
    const native = parseNative('switch_mode', { mode_slug: 'ask', reason: 'To a < b' });
    assert.deepEqual(decoded(xml), { mode_slug: 'ask', reason: 'To a < b' });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('switches once it is approved', async () => {
    const context = await create();
    const { prepared, response } = await context.xml('switch_mode', {
      mode_slug: 'architect',
      reason: 'A plan first.',
    });
    assert.deepEqual(prepared?.actions, [{ type: 'switch_mode', mode: 'architect' }]);
    assert.deepEqual(response, { content: 'Now in architect mode.' });
    assert.deepEqual(context.switched, [{ slug: 'architect', reason: 'A plan first.' }]);
    await context.native('switch_mode', { mode_slug: 'ask', reason: null });
    assert.deepEqual(context.switched.at(-1), { slug: 'ask' });
    const rejected = await context.native(
      'switch_mode',
      { mode_slug: 'debug' },
      { answer: { allowed: false } },
    );
    assert.equal(rejected.denied, true);
    assert.equal(context.switched.length, 2);
  });

  it('refuses what is no other mode, and names those there are', async () => {
    const context = await create();
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ mode_slug: 'poet' }, /There is no mode 'poet'\. The modes are: code, .*architect/],
      [{ mode_slug: 'code' }, /This is Code mode already\. Go on with the task/],
      [{ mode_slug: '' }, /'mode_slug'/],
      [{}, /Missing required parameter 'mode_slug'/],
      [{ mode_slug: 3 }, /'mode_slug'/],
      [{ mode_slug: '__proto__' }, /There is no mode/],
      [{ mode_slug: 'x'.repeat(100_000) }, /There is no mode/],
    ];
    for (const [args, expected] of cases) {
      const { error, prepared } = await context.native('switch_mode', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 80));
      assert.ok(error!.length < 600);
      assert.equal(prepared, undefined);
    }
  });
});

describe('update_todo_list', () => {
  const create = withContext();

  it('takes the same list in XML and natively, however it is marked', async () => {
    const todos = '[x] Read &amp; find <it>\n- [-] Mend\n\n* [ ] Test\n  2. [X] Nested\n[~] Half';
    const expected = [
      { text: 'Read &amp; find <it>', status: 'completed' },
      { text: 'Mend', status: 'in_progress' },
      { text: 'Test', status: 'pending' },
      { text: 'Nested', status: 'completed' },
      { text: 'Half', status: 'in_progress' },
    ];
    for (const call of [
      parseXml(`<update_todo_list>\n<todos>\n${todos}\n</todos>\n</update_todo_list>`),
      parseNative('update_todo_list', { todos: todos.replaceAll('\n', '\r\n') }),
    ]) {
      const context = await create();
      const { prepared, response } = await context.run(call);
      assert.deepEqual(prepared?.actions, []);
      assert.deepEqual(context.todos, expected);
      assert.deepEqual(response, { content: 'The list has 5 steps now.' });
    }
  });

  it('replaces the list, and empties it', async () => {
    const context = await create();
    await context.xml('update_todo_list', { todos: '[ ] one\n[ ] two' });
    assert.equal(
      (await context.xml('update_todo_list', { todos: '[x] one' })).text,
      'The list has 1 step now.',
    );
    assert.deepEqual(context.todos, [{ text: 'one', status: 'completed' }]);
    assert.equal((await context.xml('update_todo_list', { todos: '' })).text, 'The list is empty now.');
    assert.deepEqual(context.todos, []);
  });

  it('refuses what is no step, and keeps the list as it was', async () => {
    const context = await create();
    await context.xml('update_todo_list', { todos: '[ ] one' });
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ todos: '# Plan\n[ ] one' }, /This line is no step: '# Plan'\. Write each step as \[ \] text/],
      [{ todos: '[y] one' }, /no step/],
      [{ todos: '[ ]' }, /no step/],
      [{ todos: 'x'.repeat(50_000) }, /no step/],
      [{ todos: Array<string>(1001).fill('[ ] x').join('\n') }, /1001 steps/],
      [{}, /Missing required parameter 'todos'/],
      [{ todos: ['[ ] one'] }, /'todos'/],
    ];
    for (const [args, expected] of cases) {
      const { error } = await context.native('update_todo_list', args);
      assert.match(error ?? 'no error', expected);
      assert.ok(error!.length < 400);
    }
    assert.deepEqual(context.todos, [{ text: 'one', status: 'pending' }]);
  });
});
