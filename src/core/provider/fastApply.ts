import type { RequestError } from '../../shared/events.ts';
import type { Provider } from './Provider.ts';

/** A sketch of an edit, to be merged into a file's text by a model that does nothing else. */
export interface FastApplyRequest {
  instructions: string;
  /** The file as it is, `\n` line ends. */
  code: string;
  /** What changes, with comments like `// ... existing code ...` for what stays. */
  update: string;
}

/** The merged file, or why there is none. */
export type FastApplyResult = { text: string } | { failed: 'cut' | 'error' | 'empty'; error?: RequestError };

const SYSTEM =
  'Merge the update into the code. Answer with the whole code after the update, every line of it, and nothing else: no fence, no remark.';

/** Sends the three parts in the form that fast-apply models are trained on. Rejects with the signal's reason when aborted. */
export async function fastApply(
  { provider, model }: { provider: Provider; model: string },
  { instructions, code, update }: FastApplyRequest,
  signal: AbortSignal,
): Promise<FastApplyResult> {
  const text = `<instruction>${instructions}</instruction>\n<code>${code}</code>\n<update>${update}</update>`;
  const request = {
    model,
    system: SYSTEM,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    temperature: 0,
  };
  const pieces: string[] = [];
  for await (const event of provider.stream(request, signal)) {
    if (event.type === 'text') pieces.push(event.text);
    if (event.type !== 'end') continue;
    signal.throwIfAborted();
    if (event.error) return { failed: 'error', error: event.error };
    if (event.stopReason !== 'end') return { failed: 'cut' };
  }
  const merged = unwrapped(pieces.join(''));
  return merged.trim() === '' ? { failed: 'empty' } : { text: merged };
}

/** Some models wrap the file all the same: into the tag it came in, or into a fence. */
function unwrapped(answer: string): string {
  const inTag = /^\s*<(code|update)>\n?([^]*?)\n?<\/\1>\s*$/.exec(answer)?.[2] ?? answer;
  return /^\s*```[^\n`]*\n([^]*?)\n?```\s*$/.exec(inTag)?.[1] ?? inTag;
}
