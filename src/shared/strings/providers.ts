/** What a person reads of the providers. */
export const providerStrings = {} as const satisfies Record<string, readonly [string, string]>;
