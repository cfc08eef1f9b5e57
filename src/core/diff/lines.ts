/** A line with the line break that ends it: `\n`, `\r\n`, `\r`, or '' at the end of a text without a final one. */
export interface Line {
  text: string;
  end: string;
}

/** Every line of a text; joined again they are the text, byte for byte. An empty text has no lines. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) {
      lines.push({ text: text.slice(start), end: '' });
      break;
    }
    const carriage = newline > start && text.charCodeAt(newline - 1) === 13;
    const end = carriage ? newline - 1 : newline;
    lines.push({ text: text.slice(start, end), end: carriage ? '\r\n' : '\n' });
    start = newline + 1;
  }
  return lines;
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map(({ text, end }) => text + end).join('');
}

/** The line break that most lines have; `\n` where there is none. */
export function usualLineEnd(lines: readonly Line[]): string {
  let carriage = 0;
  let plain = 0;
  for (const { end } of lines) {
    if (end === '\r\n') carriage++;
    else if (end === '\n') plain++;
  }
  return carriage > plain ? '\r\n' : '\n';
}
