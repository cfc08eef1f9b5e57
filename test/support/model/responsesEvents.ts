import { callId, pieces, type Reply } from '../ScriptedModel.ts';

/** OpenAI's `/v1/responses`: items that are added, grow and are done; encrypted reasoning comes with the item's end. */
export function* responsesEvents(reply: Reply): Iterable<string> {
  let sequence = 0;
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'scripted', output: [] };
  yield event('response.created', { response: { ...response, status: 'in_progress' } });
  let index = 0;
  if (reply.reasoning !== undefined) {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: null };
    yield event('response.output_item.added', { output_index: index, item });
    yield event('response.reasoning_summary_part.added', {
      item_id: 'rs_1',
      output_index: index,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    });
    for (const delta of pieces(reply.reasoning, reply))
      yield event('response.reasoning_summary_text.delta', {
        item_id: 'rs_1',
        output_index: index,
        summary_index: 0,
        delta,
      });
    yield event('response.reasoning_summary_part.done', {
      item_id: 'rs_1',
      output_index: index,
      summary_index: 0,
      part: { type: 'summary_text', text: reply.reasoning },
    });
    yield event('response.output_item.done', {
      output_index: index++,
      item: {
        ...item,
        summary: [{ type: 'summary_text', text: reply.reasoning }],
        encrypted_content: 'sealed',
      },
    });
  }
  if (reply.text !== undefined) {
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    yield event('response.output_item.added', { output_index: index, item });
    for (const delta of pieces(reply.text, reply))
      yield event('response.output_text.delta', {
        item_id: 'msg_1',
        output_index: index,
        content_index: 0,
        delta,
      });
    yield event('response.output_item.done', {
      output_index: index++,
      item: {
        ...item,
        status: 'completed',
        content: [{ type: 'output_text', text: reply.text, annotations: [] }],
      },
    });
  }
  for (const [number, call] of (reply.calls ?? []).entries()) {
    const text = call.raw ?? JSON.stringify(call.arguments);
    const item = { id: `fc_${number}`, type: 'function_call', call_id: callId(number), name: call.name };
    yield event('response.output_item.added', {
      output_index: index,
      item: { ...item, arguments: '', status: 'in_progress' },
    });
    for (const delta of pieces(text, reply))
      yield event('response.function_call_arguments.delta', {
        item_id: item.id,
        output_index: index,
        delta,
      });
    yield event('response.output_item.done', {
      output_index: index++,
      item: { ...item, arguments: text, status: 'completed' },
    });
  }
  if (reply.unfinished === true) return;
  const { input, output, cacheRead = 0, reasoning = 0 } = reply.usage ?? { input: 100, output: 10 };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
  yield reply.finish === undefined
    ? event('response.completed', { response: { ...response, status: 'completed', usage } })
    : event('response.incomplete', {
        response: {
          ...response,
          status: 'incomplete',
          usage,
          incomplete_details: {
            reason: reply.finish === 'length' ? 'max_output_tokens' : 'content_filter',
          },
        },
      });
}
