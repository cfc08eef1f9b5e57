import { pieces, type Reply } from '../ScriptedModel.ts';

/** Google's `streamGenerateContent?alt=sse`: whole candidates' parts a chunk, calls never in pieces, no end mark of its own. */
export function* googleEvents(reply: Reply): Iterable<string> {
  const event = (parts: object[], more: object = {}, finishReason?: string): string =>
    `data: ${JSON.stringify({
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
      modelVersion: 'scripted',
      responseId: 'response-1',
      ...more,
    })}\r\n\r\n`;
  for (const text of pieces(reply.reasoning ?? '', reply)) yield event([{ text, thought: true }]);
  for (const text of pieces(reply.text ?? '', reply)) yield event([{ text }]);
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const functionCall = { name: call.name, args: call.arguments };
    // Of calls in parallel only the first is signed.
    yield event([index === 0 ? { functionCall, thoughtSignature: 'signed' } : { functionCall }]);
  }
  if (reply.unfinished === true) return;
  const { input, output, cacheRead = 0, reasoning = 0 } = reply.usage ?? { input: 100, output: 10 };
  yield event(
    [{ text: '' }],
    {
      usageMetadata: {
        promptTokenCount: input,
        cachedContentTokenCount: cacheRead,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
        totalTokenCount: input + output,
      },
    },
    finishReasonOf(reply.finish),
  );
}

function finishReasonOf(finish: Reply['finish']): string {
  switch (finish) {
    case 'length':
      return 'MAX_TOKENS';
    case 'content_filter':
      return 'SAFETY';
    case undefined:
      return 'STOP';
  }
}
