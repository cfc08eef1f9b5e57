/** A document whose text cannot be taken out: damaged, encrypted, or not what its name says. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** Endings (lower case, with their dot) of files that text can be taken out of. */
export const documentKinds = ['.pdf', '.docx', '.xlsx', '.ipynb'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export function isDocument(extension: string): extension is DocumentKind {
  return (documentKinds as readonly string[]).includes(extension);
}
