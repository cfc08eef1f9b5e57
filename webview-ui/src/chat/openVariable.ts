import type { McpServerRow } from '../../../src/shared/mcp.ts';

/** A variable of a resource template that a mention is at, and what was written of it. */
export interface OpenVariable {
  server: string;
  uriTemplate: string;
  variable: string;
  value: string;
  /** The variables before it. */
  given: Record<string, string>;
  /** The mention with a value in the variable's place, up to the next one. */
  filled: (value: string) => string;
  /** There are variables behind it. */
  open: boolean;
}

/** The variable at the end of what is written behind `@`, `server:scheme://…`; undefined where that fits no template up to one. */
export function openVariable(servers: readonly McpServerRow[], query: string): OpenVariable | undefined {
  for (const { id: server, resourceTemplates } of servers) {
    if (!query.startsWith(`${server}:`)) continue;
    const written = query.slice(server.length + 1);
    for (const { uriTemplate } of resourceTemplates) {
      const place = placeIn(uriTemplate, written);
      if (!place) continue;
      const { start, reserved, next, ...found } = place;
      const before = `@${server}:${written.slice(0, start)}`;
      const encode = reserved ? encodeURI : encodeURIComponent;
      return { ...found, server, uriTemplate, filled: (value) => `${before}${encode(value)}${next}` };
    }
  }
  return undefined;
}

interface Place extends Pick<OpenVariable, 'variable' | 'value' | 'given' | 'open'> {
  /** Where the value begins, in what is written. */
  start: number;
  /** It may hold what an address means something by: `{+path}`. */
  reserved: boolean;
  /** What stands behind it, up to the next variable. */
  next: string;
}

/** Only plain variables, `{x}` and `{+x}`, have a place of their own; what stands behind another kind is not looked at. */
function placeIn(uriTemplate: string, written: string): Place | undefined {
  const parts = uriTemplate.split(/(\{\+?[\w.]+\})/);
  const given: Record<string, string> = {};
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) {
      if (part.includes('{') || !written.startsWith(part, at)) return undefined;
      at += part.length;
      continue;
    }
    const reserved = part.startsWith('{+');
    const variable = part.slice(reserved ? 2 : 1, -1);
    const rest = parts[index + 1] ?? '';
    const [next = ''] = rest.split('{');
    const end = next === '' ? -1 : written.indexOf(next, at);
    if (end === -1) {
      const value = written.slice(at);
      if (!reserved && value.includes('/')) return undefined;
      const open = next !== rest || index + 2 < parts.length;
      return { variable, value: decoded(value), given, start: at, reserved, next, open };
    }
    given[variable] = decoded(written.slice(at, end));
    at = end;
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A percent sign that is still being typed.
    if (error instanceof URIError) return text;
    throw error;
  }
}
