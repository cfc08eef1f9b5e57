/** A model's or a command's words may not move the cursor or rename the window. */
export function printable(text: string): string {
  return Array.from(text, (character) => (isControl(character) ? '' : character)).join('');
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code < 32 && character !== '\n' && character !== '\t') || (code >= 127 && code < 160);
}
