/** What a person reads of the webview. */
export const webviewStrings = {} as const satisfies Record<string, readonly [string, string]>;
