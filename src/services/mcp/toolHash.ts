import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';

/** SHA-256 of what the model and the person are told of a tool: another hash is another tool. */
export function toolHash(tool: Tool): string {
  const { name, title, description, inputSchema, annotations } = tool;
  return createHash('sha256')
    .update(canonical({ name, title, description, inputSchema, annotations }))
    .digest('hex');
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
