import assert from 'node:assert/strict';
import fc from 'fast-check';
import { condensePoint } from '../../src/core/context/condensePoint.ts';
import { trimmedResult } from '../../src/core/context/trimmedResult.ts';
import type { ProviderMessage } from '../../src/core/provider/Provider.ts';
import { apiMessages } from '../../src/core/task/apiMessages.ts';
import type { Fact, JournalEntry, ModelReference } from '../../src/shared/events.ts';
import type { ToolUse } from '../../src/shared/tools.ts';

type Step =
  | { step: 'said'; text: string; images: number; automatic: boolean }
  | { step: 'answered'; calls: { origin: 'xml' | 'native'; size: number }[]; text: string; left: boolean }
  | { step: 'failed' }
  | { step: 'condensed'; share: number; anywhere: boolean; characters: number }
  | { step: 'trimmed'; share: number; anywhere: boolean }
  | { step: 'ended' };

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '</said>', '<summary>', '漢') });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant('said' as const),
        text,
        images: fc.nat(1),
        automatic: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constant('answered' as const),
        calls: fc.array(
          fc.record({ origin: fc.constantFrom('xml' as const, 'native' as const), size: fc.nat(2000) }),
          { maxLength: 3 },
        ),
        text,
        left: fc.boolean(),
      }),
    },
    fc.record({ step: fc.constant('failed' as const) }),
    fc.record({
      step: fc.constant('condensed' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      anywhere: fc.boolean(),
      characters: fc.nat(200),
    }),
    fc.record({
      step: fc.constant('trimmed' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      anywhere: fc.boolean(),
    }),
    fc.record({ step: fc.constant('ended' as const) }),
  ),
  { maxLength: 25 },
);

const model = (protocol: 'xml' | 'native'): ModelReference => ({
  profile: 'p',
  provider: 'tests',
  model: 'm',
  protocol,
});

/** A journal that a task could have written, entry by entry. */
class Journal {
  readonly entries: JournalEntry[] = [];
  #requests = 0;
  #calls = 0;
  #said = false;

  constructor() {
    this.#add({ type: 'task_started', version: 1, taskId: 't', cwd: '/w', mode: 'code' });
  }

  /** Gives whether the step may change what stood before. */
  take(step: Step): boolean {
    switch (step.step) {
      case 'said':
        this.#said ||= step.text !== '';
        this.#add({
          type: 'user_message',
          text: step.text === '' ? 'x' : step.text,
          ...(step.images > 0 ? { images: [{ mediaType: 'image/png', data: 'AAAA' }] } : {}),
          ...(step.automatic ? { automatic: true } : {}),
        });
        this.#said = true;
        return false;
      case 'answered':
        this.#answered(step);
        return false;
      case 'failed':
        this.#request();
        return false;
      case 'ended':
        this.#add({ type: 'task_finished', reason: 'answered' });
        return false;
      case 'condensed':
      case 'trimmed': {
        const through = step.anywhere
          ? Math.ceil(step.share * this.entries.length)
          : condensePoint(this.entries, step.share * 2000);
        if (through === undefined || through < this.#condensedThrough()) return false;
        if (step.step === 'trimmed')
          this.#add({ type: 'results_trimmed', through, tokensBefore: 2, tokensAfter: 1 });
        else
          this.#add({
            type: 'context_condensed',
            summary: 'What was.',
            through,
            personCharacters: step.characters,
          });
        return true;
      }
    }
  }

  #answered({ calls, text: words, left }: Extract<Step, { step: 'answered' }>): void {
    // Nobody asks a model before anything was said.
    if (!this.#said) return;
    const requestId = this.#request();
    const blocks = calls.map(({ origin }): ToolUse => ({
      type: 'tool_use',
      id: `call-${++this.#calls}`,
      name: 'read_file',
      origin,
      params: { path: 'a' },
      ...(origin === 'native' ? { nativeArgs: { path: 'a' } } : {}),
      partial: false,
    }));
    this.#add({
      type: 'assistant_message',
      requestId,
      content: [{ type: 'text', text: words, partial: false }, ...blocks],
    });
    const view = { kind: 'read' as const, subject: 'a', locations: [] };
    for (const [index, { id }] of blocks.entries()) {
      this.#add({ type: 'tool_started', callId: id, tool: 'read_file', view });
      // What a process left behind when it ended.
      if (left && index === blocks.length - 1) continue;
      this.#add({
        type: 'tool_finished',
        callId: id,
        tool: 'read_file',
        outcome: 'done',
        view,
        content: [
          { type: 'text', text: 'r'.repeat(1 + (calls[index]?.size ?? 0)) },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        ],
        durationMs: 1,
      });
    }
  }

  #request(): string {
    const requestId = `request-${++this.#requests}`;
    this.#add({ type: 'request_started', requestId, model: model('native'), hash: '' });
    this.#add({ type: 'request_finished', requestId, stopReason: 'end', durationMs: 1 });
    return requestId;
  }

  #condensedThrough(): number {
    return this.entries.findLast((entry) => entry.type === 'context_condensed')?.through ?? 0;
  }

  #add(fact: Fact): void {
    this.entries.push({ seq: this.entries.length + 1, at: 0, ...fact });
  }
}

/** What every service asks of a request's messages. */
function assertValid(messages: readonly ProviderMessage[]): void {
  messages.forEach((message, index) => {
    assert.equal(message.role, index % 2 === 0 ? 'user' : 'assistant');
    assert.ok(message.content.length > 0);
    for (const part of message.content) if (part.type === 'text') assert.notEqual(part.text, '');
    const next = messages[index + 1];
    if (message.role === 'assistant') {
      const calls = message.content.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []));
      const results = (next?.role === 'user' ? next.content : []).flatMap((part) =>
        part.type === 'tool_result' ? [part.callId] : [],
      );
      assert.deepEqual(results, calls);
    } else {
      const kinds = message.content.map(({ type }) => type === 'tool_result');
      assert.deepEqual(
        kinds,
        kinds.toSorted((a, b) => Number(b) - Number(a)),
      );
      if (index === 0) assert.ok(!kinds.includes(true));
    }
  });
}

/** Message by message, and of the last the parts that were there. */
function beginsWith(later: readonly ProviderMessage[], earlier: readonly ProviderMessage[]): boolean {
  return earlier.every((message, index) => {
    const same = later[index];
    if (!same) return false;
    const parts = index === earlier.length - 1 ? same.content.slice(0, message.content.length) : same.content;
    return same.role === message.role && JSON.stringify(parts) === JSON.stringify(message.content);
  });
}

describe('a journal as messages', () => {
  for (const protocol of ['xml', 'native'] as const)
    it(`is valid at each step, and changes only at its end unless it was condensed or trimmed (${protocol})`, () => {
      fc.assert(
        fc.property(steps, (taken) => {
          const journal = new Journal();
          let before: ProviderMessage[] = [];
          for (const step of taken) {
            const mayChange = journal.take(step);
            const messages = apiMessages(journal.entries, model(protocol));
            assertValid(messages);
            assert.deepEqual(apiMessages(journal.entries, model(protocol)), messages);
            if (!mayChange) assert.ok(beginsWith(messages, before));
            before = messages;
          }
        }),
        { numRuns: 300 },
      );
    });

  it('says the calls and results of one protocol in the other, by the names the model used', () => {
    const journal = new Journal();
    journal.take({ step: 'said', text: 'Go', images: 0, automatic: false });
    const calls = [
      { origin: 'native' as const, size: 0 },
      { origin: 'xml' as const, size: 0 },
    ];
    journal.take({ step: 'answered', calls, text: '', left: false });
    const named = journal.entries.map((entry): JournalEntry =>
      entry.type === 'assistant_message'
        ? {
            ...entry,
            content: entry.content.map((block) =>
              block.type === 'tool_use' ? { ...block, calledAs: 'cat' } : block,
            ),
          }
        : entry,
    );
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
    const xml = { type: 'text', text: '<cat>\n<path>a</path>\n</cat>' };
    assert.deepEqual(apiMessages(named, model('xml')).slice(1), [
      { role: 'assistant', content: [xml, xml] },
      {
        role: 'user',
        content: [
          { type: 'text', text: "[read_file for 'a'] Result:\nr" },
          image,
          { type: 'text', text: 'r' },
          image,
        ],
      },
    ]);
    const result = [{ type: 'text', text: 'r' }, image];
    assert.deepEqual(apiMessages(named, model('native')).slice(1), [
      {
        role: 'assistant',
        content: [{ type: 'tool_call', callId: 'call-1', tool: 'cat', arguments: { path: 'a' } }, xml],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', callId: 'call-1', tool: 'cat', content: result, isError: false },
          ...result,
        ],
      },
    ]);
  });

  it('is condensed where no call is open, and never over what the person said last', () => {
    fc.assert(
      fc.property(steps, fc.nat(3000), (taken, tail) => {
        const journal = new Journal();
        for (const step of taken) journal.take(step);
        const { entries } = journal;
        const point = condensePoint(entries, tail);
        if (point === undefined) return;
        const open = new Set<string>();
        for (const entry of entries.slice(0, point)) {
          if (entry.type === 'assistant_message')
            for (const block of entry.content) if (block.type === 'tool_use') open.add(block.id);
          if (entry.type === 'tool_finished') open.delete(entry.callId);
        }
        assert.equal(open.size, 0);
        const answered = entries.findLastIndex(({ type }) => type === 'assistant_message');
        assert.ok(!entries.slice(answered + 1, point).some(({ type }) => type === 'user_message'));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the person’s own words beside the summary, the first and the last of them', () => {
    const journal = new Journal();
    const say = (words: string): boolean =>
      journal.take({ step: 'said', text: words, images: 0, automatic: false });
    const answer = (): boolean => journal.take({ step: 'answered', calls: [], text: 'Yes.', left: false });
    for (const words of ['Mend the cart.', 'x'.repeat(80), 'Use </said> <summary> tabs.']) {
      say(words);
      answer();
    }
    journal.take({ step: 'condensed', share: 1, anywhere: true, characters: 100 });
    say('Go on.');
    const [first, ...more] = apiMessages(journal.entries, model('xml'));
    assert.deepEqual(more, []);
    assert.deepEqual(
      first?.content.map((part) => (part.type === 'text' ? part.text : part.type)),
      [
        [
          'The conversation up to here was condensed to make room.',
          'What the person said in it, word for word (1 message is left out):',
          '<said>\nMend the cart.\n</said>',
          '<said>\nUse <\\/said> <summary> tabs.\n</said>',
          'What happened, in your own summary:',
          '<summary>\nWhat was.\n</summary>',
          'Go on from there. Read a file again before you rely on what it holds.',
        ].join('\n\n'),
        'Go on.',
      ],
    );
  });

  it('an old result keeps its ends, and a short one stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '\u{1f600}', '漢字 '.repeat(50)), maxLength: 60 }),
        (value) => {
          const [part] = trimmedResult([{ type: 'text', text: value }]);
          assert.ok(part?.type === 'text');
          assert.deepEqual(trimmedResult([part]), [part]);
          if (value.length < 900) assert.equal(part.text, value);
          else assert.ok(part.text.length < 800 && !/\p{Surrogate}/u.test(part.text));
        },
      ),
    );
  });
});
