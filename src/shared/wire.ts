import * as z from 'zod';
import { protocolErrorSchema } from './protocol.ts';

/** What travels between a front end and the agent's dispatcher, over postMessage, a WebSocket or HTTP alike. */
export const clientMessageSchema = z.object({
  type: z.literal('request'),
  id: z.number().int(),
  method: z.string(),
  params: z.unknown(),
});
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const serverMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response'), id: z.number().int(), result: z.unknown() }),
  z.object({ type: z.literal('error'), id: z.number().int(), error: protocolErrorSchema }),
  z.object({ type: z.literal('notification'), name: z.string(), params: z.unknown() }),
]);
export type ServerMessage = z.infer<typeof serverMessageSchema>;
