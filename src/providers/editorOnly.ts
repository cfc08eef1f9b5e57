import type { Provider } from '../core/provider/Provider.ts';
import { message } from '../shared/strings.ts';

/** Stands for the editor's own models where there is no editor: every request ends with what to do instead. */
export const editorOnly: Provider = {
  id: 'vscode-lm',
  facts: () => ({ images: false, nativeTools: true }),
  async *stream() {
    const error = { message: message('provider.editorOnly'), retryable: false };
    yield await Promise.resolve({ type: 'end', stopReason: 'error', error });
  },
};
