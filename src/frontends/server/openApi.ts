import * as z from 'zod';
import { chatMessageSchema, chatRequestSchema, chatSessionSchema } from '../../shared/chat.ts';
import { methods } from '../../shared/protocol.ts';
import { messageSchema } from '../../shared/strings.ts';

/** The OpenAPI document of the server, made from the schemas that check its requests. */
export function openApi(version: string): object {
  const refusal = {
    description: 'Refused, with the reason',
    content: json(
      z.object({ error: z.string(), code: z.string().optional(), message: messageSchema.optional() }),
    ),
  };
  const answered = (description: string, schema: z.ZodType): object => ({
    '200': { description, content: json(schema) },
    default: refusal,
  });
  const stream = {
    '200': {
      description:
        'Events: start {message_id}, message {content}…, then done {message_id} or error {message_id, error}',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    default: refusal,
  };
  const session = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const since = {
    name: 'since',
    in: 'query',
    schema: { type: 'string' },
    description: 'id of the last event that came',
  };
  const calls = Object.entries(methods).map(([name, { params, result }]) => [
    `/rpc/${name}`,
    {
      post: {
        operationId: name,
        requestBody: { required: true, content: json(params, 'input') },
        responses: answered('Result', result),
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Lathe', version },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{}, { token: [] }],
    paths: {
      '/api/chat/send': {
        post: {
          requestBody: { required: true, content: json(chatRequestSchema, 'input') },
          responses: stream,
        },
      },
      '/api/chat/sessions': { get: { responses: answered('Newest first', z.array(chatSessionSchema)) } },
      '/api/chat/sessions/{id}/messages': {
        get: { parameters: [session], responses: answered('Oldest first', z.array(chatMessageSchema)) },
      },
      '/api/chat/sessions/{id}/events': { get: { parameters: [session, since], responses: stream } },
      '/health': {
        get: {
          security: [],
          responses: answered('It runs', z.object({ status: z.literal('ok'), version: z.string() })),
        },
      },
      ...(Object.fromEntries(calls) as Record<string, object>),
    },
  };
}

function json(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as object;
  return { 'application/json': { schema: described } };
}
