import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EventCoalescer } from '../../src/frontends/page/EventCoalescer.ts';
import type { TaskEvent } from '../../src/shared/events.ts';

const text = fc.string({ maxLength: 5 });
const requestId = fc.constantFrom('r1', 'r2');
const block = fc.nat({ max: 1 });
const delta: fc.Arbitrary<TaskEvent> = fc
  .oneof(
    fc.record({ type: fc.constant('reasoning' as const), requestId, text }),
    fc.record({ type: fc.constant('tool_output' as const), callId: fc.constantFrom('c1', 'c2'), text }),
    fc.record({
      type: fc.constant('block' as const),
      requestId,
      delta: fc.oneof(
        fc.record({ type: fc.constant('text' as const), block, text }),
        fc.record({
          type: fc.constant('param' as const),
          block,
          name: fc.constantFrom('path', 'diff'),
          text,
        }),
      ),
    }),
  )
  .map((one) => ({ kind: 'delta', delta: one }));
const entry: fc.Arbitrary<TaskEvent> = fc
  .nat()
  .map((seq) => ({ kind: 'entry', entry: { seq, at: 0, type: 'title_changed', title: 'x' } }));

/** One event a character: what differs from it only in how the text is cut is the same. */
function apart(events: readonly TaskEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.kind === 'entry') return [event];
    const one = event.delta;
    if (one.type === 'block' && 'text' in one.delta) {
      const inner = one.delta;
      return Array.from(inner.text).map((character) => ({ ...one, delta: { ...inner, text: character } }));
    }
    if ('text' in one) return Array.from(one.text).map((character) => ({ ...one, text: character }));
    return [event];
  });
}

describe('events on their way to the sidebar', () => {
  it('come all, in order, however they are joined; an entry never waits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 5, arbitrary: delta }, { weight: 1, arbitrary: entry })),
        (events) => {
          const before = JSON.stringify(events);
          const sent: TaskEvent[][] = [];
          const coalescer = new EventCoalescer((batch) => sent.push(batch));
          for (const event of events) {
            coalescer.add(event);
            if (event.kind === 'entry') assert.deepEqual(sent.at(-1)?.at(-1), event);
          }
          coalescer.flush();
          assert.deepEqual(apart(sent.flat()), apart(events));
          assert.ok(sent.flat().length <= events.length);
          assert.equal(JSON.stringify(events), before, 'what others hold too was changed');
          coalescer.dispose();
        },
      ),
    );
  });

  it('do not come any more when nobody is there', () => {
    const sent: TaskEvent[][] = [];
    const coalescer = new EventCoalescer((batch) => sent.push(batch));
    const event: TaskEvent = { kind: 'delta', delta: { type: 'reasoning', requestId: 'r', text: 'x' } };
    coalescer.add(event);
    coalescer.add(event);
    coalescer.dispose();
    const before = sent.length;
    coalescer.flush();
    assert.equal(sent.length, before);
  });
});
