import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lastPage } from '../../src/core/task/journalPages.ts';
import type { Fact, JournalEntry, ModelReference, TaskEvent } from '../../src/shared/events.ts';
import type { PageBase } from '../../src/shared/protocol.ts';
import { emptyView, foldAll, viewFrom, withEarlier } from '../../src/shared/view.ts';

const model: ModelReference = {
  profile: 'p',
  provider: 'openai',
  model: 'm',
  protocol: 'native',
  contextWindow: 1000,
};
const usage = {
  inputTokens: 10,
  outputTokens: 2,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: 0.5,
};
const view = { kind: 'read' as const, subject: 'a.ts', locations: [] };

type Step =
  | { type: 'message'; text: string; automatic: boolean }
  | { type: 'request'; text: string; results: string[]; todos: boolean }
  | { type: 'mode' }
  | { type: 'finished' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('message' as const), text: fc.string(), automatic: fc.boolean() }),
    fc.record({
      type: fc.constant('request' as const),
      text: fc.string(),
      results: fc.array(fc.string({ maxLength: 200 }), { maxLength: 3 }),
      todos: fc.boolean(),
    }),
    fc.constant({ type: 'mode' as const }),
    fc.constant({ type: 'finished' as const }),
  ),
  { maxLength: 12 },
);

/** A journal as turns write it: calls have their results before the next request. */
function journalOf(all: readonly Step[]): JournalEntry[] {
  const facts: Fact[] = [{ type: 'task_started', version: 1, taskId: 't', cwd: '/w', mode: 'code', model }];
  all.forEach((step, number) => {
    switch (step.type) {
      case 'message':
        facts.push({ type: 'user_message', text: step.text, automatic: step.automatic });
        break;
      case 'mode':
        facts.push({ type: 'mode_changed', mode: `mode${number}`, by: 'person' });
        break;
      case 'finished':
        facts.push({ type: 'task_finished', reason: 'completed', result: `done ${number}` });
        break;
      case 'request': {
        const requestId = `r${number}`;
        const calls = step.results.map((content, index) => ({ id: `${requestId}-${index}`, content }));
        facts.push(
          { type: 'request_started', requestId, model, hash: 'h' },
          { type: 'request_finished', requestId, stopReason: 'tool_calls', usage, durationMs: 1 },
          {
            type: 'assistant_message',
            requestId,
            content: [
              { type: 'text', text: step.text, partial: false },
              ...calls.map(({ id }) => ({
                ...{ type: 'tool_use' as const, id, name: 'read_file' as const, origin: 'native' as const },
                ...{ params: { path: 'a.ts' }, partial: false },
              })),
            ],
          },
        );
        for (const { id, content } of calls)
          facts.push(
            { type: 'tool_started', callId: id, tool: 'read_file', view },
            {
              ...{
                type: 'tool_finished',
                callId: id,
                tool: 'read_file',
                outcome: 'done',
                view,
                durationMs: 1,
              },
              content: [{ type: 'text', text: content }],
            },
          );
        if (step.todos)
          facts.push({
            type: 'todos_updated',
            todos: [{ text: step.text, status: 'pending' }],
            by: 'model',
          });
      }
    }
  });
  return facts.map((fact, index) => ({ seq: index + 1, at: 1000 + index, ...fact }));
}

const eventsOf = (entries: readonly JournalEntry[]): TaskEvent[] =>
  entries.map((entry) => ({ kind: 'entry', entry }));

describe('pages of a journal', () => {
  it('put together from the end give the view of the whole', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 2000 }), (all, bytes) => {
        const journal = journalOf(all);
        const last = lastPage(journal, bytes);
        let paged = foldAll(viewFrom(last.base), eventsOf(last.entries));
        const pages: (readonly JournalEntry[])[] = [last.entries];
        for (let base: PageBase = last.base; base.lastSeq > 0;) {
          const page = lastPage(
            journal.filter(({ seq }) => seq <= base.lastSeq),
            bytes,
          );
          paged = withEarlier(paged, page.base, page.entries);
          pages.unshift(page.entries);
          base = page.base;
        }
        assert.deepEqual(pages.flat(), journal);
        assert.deepEqual(paged, foldAll(emptyView(), eventsOf(journal)));
      }),
      { numRuns: 300 },
    );
  });

  it('hold about as much as was asked for', () => {
    const message = { type: 'message' as const, text: 'x'.repeat(1000), automatic: false };
    const journal = journalOf(Array.from({ length: 100 }, () => message));
    assert.equal(lastPage(journal, 10_500).entries.length, 9);
    assert.equal(lastPage(journal, 1).entries.length, 1);
    assert.equal(lastPage(journal, 1_000_000).entries.length, 101);
  });
});
