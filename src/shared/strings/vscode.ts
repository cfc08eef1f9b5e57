/** What a person reads of the vscode. */
export const vscodeStrings = {} as const satisfies Record<string, readonly [string, string]>;
