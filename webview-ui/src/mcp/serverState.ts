import type { McpState } from '../../../src/shared/mcp.ts';
import type { Words } from '../useSession.ts';

export const stateIcons = {
  disabled: 'circle-slash',
  untrusted: 'shield',
  needs_consent: 'bell-dot',
  connecting: 'loading',
  needs_sign_in: 'key',
  ready: 'pass',
  waiting: 'debug-restart',
  failed: 'error',
} as const satisfies Record<McpState['type'], string>;

/** What a server is doing, in a sentence. */
export function stateWords(words: Words, state: McpState): string {
  switch (state.type) {
    case 'waiting':
    case 'failed':
      return `${words(`webview.mcp.state.${state.type}`)} ${words.of(state.problem)}`;
    case 'disabled':
    case 'untrusted':
    case 'needs_consent':
    case 'connecting':
    case 'needs_sign_in':
    case 'ready':
      return words(`webview.mcp.state.${state.type}`);
  }
}
