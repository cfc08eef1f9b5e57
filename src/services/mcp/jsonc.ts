/** JSON with comments and commas before a closing bracket, as people write configuration. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  return JSON.parse(plainJson(text.replace(/^\ufeff/, '')));
}

/** Strings are taken whole first, so that nothing inside of them is touched. */
function plainJson(text: string): string {
  const withoutComments = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (piece) =>
    piece.startsWith('"') ? piece : piece.replace(/[^\n]/g, ' '),
  );
  return withoutComments.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (piece) =>
    piece.startsWith('"') ? piece : ' ',
  );
}
