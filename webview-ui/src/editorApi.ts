import type { ClientMessage } from '../../src/shared/wire.ts';

/** What the editor gives a webview: a way to post, a way to listen, and a state that survives a reload. */
export interface EditorApi {
  /** Where the page is shown: what takes an editor is not there in a browser. */
  readonly surface: 'editor' | 'browser';
  post(message: ClientMessage): void;
  listen(listener: (data: unknown) => void): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** Whether an editor has made this page. */
export function isInEditor(): boolean {
  return 'acquireVsCodeApi' in globalThis;
}

/** Can be asked for once in the life of a page. */
export function editorApi(): EditorApi {
  const api = acquireVsCodeApi();
  return {
    surface: 'editor',
    post: (message) => api.postMessage(message),
    listen: (listener) => window.addEventListener('message', (event) => listener(event.data)),
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}
