/** Introducers of sequences that run to BEL or ST: OSC, DCS, APC, PM, SOS. */
const STRINGS = new Set([']', 'P', '_', '^', 'X']);
/** Anything that the filter does something about. */
const CONTROL = /[^\t\n\x20-\x7e\xa0-\uffff]/;

/**
 * Takes terminal control sequences out of output as it streams: CSI, OSC (shell integration marks included) and the
 * other string sequences, two-character escapes, and control characters other than tab and line breaks.
 * A sequence cut by a chunk's end is held until the rest comes. `\r\n` becomes `\n`; a lone `\r` (a progress bar
 * drawing over itself) becomes `\n`.
 */
export class ControlSequenceFilter {
  #state: 'text' | 'escape' | 'csi' | 'string' | 'stringEscape' | 'charset' = 'text';
  #carriageReturn = false;

  push(chunk: string): string {
    // Most output is plain text: it is passed on as it is.
    if (this.#state === 'text' && !this.#carriageReturn && !CONTROL.test(chunk)) return chunk;
    let out = '';
    for (const character of chunk) {
      switch (this.#state) {
        case 'text':
          out += this.#text(character);
          break;
        case 'escape':
          if (character === '[') this.#state = 'csi';
          else if (STRINGS.has(character)) this.#state = 'string';
          else if ('()*+-./#%'.includes(character)) this.#state = 'charset';
          else this.#state = 'text';
          break;
        case 'csi':
          if (character >= '@' && character <= '~') this.#state = 'text';
          break;
        case 'string':
          // A line break within means that it never ends (bytes that are no terminal's): what follows must not be lost.
          if (character === '\n') out += character;
          if ('\x07\x9c\x18\x1a\n'.includes(character)) this.#state = 'text';
          else if (character === '\x1b') this.#state = 'stringEscape';
          break;
        case 'stringEscape':
          this.#state = character === '\\' ? 'text' : 'string';
          break;
        case 'charset':
          this.#state = 'text';
          break;
      }
    }
    return out;
  }

  #text(character: string): string {
    const afterReturn = this.#carriageReturn;
    this.#carriageReturn = false;
    if (character === '\x1b') {
      this.#state = 'escape';
      return '';
    }
    if (character === '\x9b') {
      this.#state = 'csi';
      return '';
    }
    if (character === '\r') {
      this.#carriageReturn = true;
      return afterReturn ? '' : '\n';
    }
    if (character === '\n') return afterReturn ? '' : '\n';
    if (character === '\t') return character;
    return character < ' ' || character === '\x7f' ? '' : character;
  }
}
