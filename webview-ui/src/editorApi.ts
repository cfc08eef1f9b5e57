/** What the editor gives a webview: a way to post, a way to listen, and a state that survives a reload. */
export interface EditorApi {
  post(message: unknown): void;
  listen(listener: (data: unknown) => void): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** Can be asked for once in the life of a page. */
export function editorApi(): EditorApi {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    listen: (listener) => window.addEventListener('message', (event) => listener(event.data)),
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}
