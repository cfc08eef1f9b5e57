import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AssistantMessageParser } from '../../src/core/assistant-message/AssistantMessageParser.ts';
import {
  AnswerPieces,
  answerPieces,
  hashOf,
  recordedAnswer,
} from '../../src/core/assistant-message/recordedAnswer.ts';
import { parserTools } from '../../src/core/tools/index.ts';
import { recordedAnswerSchema } from '../../src/shared/events.ts';
import { xmlCall } from '../support/ScriptedModel.ts';

type Sent = string | { name: string; arguments: string; ended: boolean };

/** Reads an answer, keeps it as a journal does, and gives it back. */
function kept(sent: readonly Sent[], xml: boolean) {
  const parser = new AssistantMessageParser({ tools: parserTools(), xml });
  const pieces = new AnswerPieces();
  sent.forEach((part, index) => {
    if (typeof part === 'string') {
      pieces.text(part);
      parser.text(part);
      return;
    }
    const id = `call-${index}`;
    pieces.call(id, part.name);
    parser.nativeStart(id, part.name);
    pieces.arguments(id, part.arguments);
    parser.nativeDelta(id, part.arguments);
    if (!part.ended) return;
    pieces.end(id);
    parser.nativeEnd(id);
  });
  parser.finish();
  const content = parser.blocks();
  const recorded = recordedAnswerSchema.parse(
    JSON.parse(JSON.stringify(recordedAnswer(pieces.pieces(), content))),
  );
  return { pieces: pieces.pieces(), content, recorded };
}

const LONG = 'export const sum = (a, b) => a + b;\n'.repeat(20);

describe('an answer as it was kept', () => {
  it('is the one that came, whatever it was', () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom('<', '</', '>', '\n', '\r\n', '<path>', '</path>', '</content>', '<read_file>'),
      fc.constantFrom('</read_file>', '<write_to_file>', '</write_to_file>', '<content>', LONG, ` ${LONG} `),
      fc
        .record({ path: fc.string(), content: fc.string() })
        .map((params) => xmlCall('write_to_file', params)),
    );
    const call = fc.record({
      name: fc.constantFrom('read_file', 'view_file', 'no_tool'),
      arguments: fc.oneof(
        fc.json(),
        fc.string(),
        fc.constantFrom(
          '',
          '{"path":"a"}',
          '{ "path" : "a" }',
          `{"path":${JSON.stringify(LONG)}}`,
          '{"2":1,"1":2}',
        ),
      ),
      ended: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(words, call), { maxLength: 12 }), fc.boolean(), (sent, xml) => {
        const { pieces, content, recorded } = kept(sent, xml);
        assert.deepEqual(answerPieces(recorded, content), pieces);
        assert.equal(recorded.hash, hashOf(pieces));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps nothing twice that stands in the message', () => {
    const text = xmlCall('write_to_file', { path: 'a.js', content: LONG });
    const written = kept(['I write it.\n\n', text], true).recorded;
    assert.ok(JSON.stringify(written).length < 400, JSON.stringify(written));
    const native = kept(
      ['I write it.', { name: 'read_file', arguments: '{"path":"a"}', ended: true }],
      false,
    );
    assert.deepEqual(native.recorded, { hash: hashOf(native.pieces) });
  });
});
