import { ToolError } from './ToolError.ts';

/** One file of a call that changes several. */
export interface FileDiff {
  path: string;
  diff: { content: string; start_line?: number }[];
}

const HOW =
  'Write <file><path>…</path><diff><content>SEARCH/REPLACE blocks</content></diff></file> for each file, or send one file a call with path and diff.';

/**
 * The nested form: `<file>` with a `<path>` and one `<diff>` or more, their text in `<content>` (as it is, or in CDATA) or right inside.
 * No entity is decoded. @throws ToolError when something of it cannot be placed
 */
export function fileDiffsOf(args: string): FileDiff[] {
  const text = args.trim().replace(/^<args>([^]*)<\/args>$/, '$1');
  const files = elements(text, 'file');
  if (files.length === 0) throw new ToolError(`args holds no <file>. ${HOW}`);
  return files.map((file) => {
    const [, path = '', rest = ''] = /^\s*<path>([^<]*)<\/path>([^]*)$/.exec(file) ?? [];
    if (path.trim() === '') throw new ToolError(`A <file> of args does not begin with its <path>. ${HOW}`);
    return { path: path.trim(), diff: elements(rest, 'diff').map(contentOf) };
  });
}

/** Elements that stand one behind another and are all there is; content may hold the same tags, as long as nothing else follows them. */
function elements(text: string, name: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(`\\s*<${name}>([^]*?)</${name}>\\s*(?=<${name}>|$)`, 'g'))) {
    if (match.index !== end) break;
    end += match[0].length;
    found.push(match[1] ?? '');
  }
  if (text.slice(end).trim() !== '')
    throw new ToolError(
      `args could not be read from ${JSON.stringify(text.slice(end).trim().slice(0, 60))} on. ${HOW}`,
    );
  return found;
}

function contentOf(diff: string): FileDiff['diff'][number] {
  const start = /^\s*<start_line>\s*(\d+)\s*<\/start_line>|<start_line>\s*(\d+)\s*<\/start_line>\s*$/.exec(
    diff,
  );
  const line = Number(start?.[1] ?? start?.[2] ?? 0);
  const rest = start ? diff.replace(start[0], '') : diff;
  const content = /^\s*<content>([^]*)<\/content>\s*$/.exec(rest)?.[1] ?? rest;
  const plain = /^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(content)?.[1] ?? content;
  return { content: plain, ...(line > 0 ? { start_line: line } : {}) };
}
