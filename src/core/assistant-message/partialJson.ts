type State = 'start' | 'key' | 'inKey' | 'colon' | 'value' | 'inString' | 'inOther' | 'comma' | 'end';

interface Value {
  name: string;
  pieces: string[];
}

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '/': '/',
  '\\': '\\',
  '"': '"',
};

/**
 * Reads a flat JSON object while it arrives: a top-level string gives its decoded text as it comes, any other value its JSON text.
 * Only for showing what streams; whether the whole is valid JSON is decided by JSON.parse when it is there. It never throws: at
 * the first thing that is no JSON it stops giving values.
 */
export class PartialJsonObject {
  #state: State = 'start';
  #key = '';
  /** An escape sequence so far, `\u` and its digits included; '' outside of one. */
  #escape = '';
  /** A value that is no string: its open brackets, and whether it stands in a string. */
  #depth = 0;
  #inInnerString = false;
  #innerEscape = false;
  readonly #values = new Map<string, Value>();

  push(chunk: string): { name: string; text: string }[] {
    const added: { name: string; text: string }[] = [];
    for (let at = 0; at < chunk.length;) at = this.#step(chunk, at, added);
    return added;
  }

  /** What has come of each value. */
  values(): { name: string; text: string }[] {
    return [...this.#values.values()].map(({ name, pieces }) => ({ name, text: pieces.join('') }));
  }

  /** Takes what starts at `at`; the index behind it. */
  #step(chunk: string, at: number, added: { name: string; text: string }[]): number {
    const character = chunk.charAt(at);
    switch (this.#state) {
      case 'inString':
        return this.#string(chunk, at, (text) => this.#add(text, added), 'comma');
      case 'inKey':
        return this.#string(chunk, at, (text) => (this.#key += text), 'colon');
      case 'inOther':
        return this.#other(chunk, at, added);
      case 'end':
        return chunk.length;
      default:
        break;
    }
    if (' \t\r\n'.includes(character)) return at + 1;
    if (this.#state === 'value') {
      this.#values.set(this.#key, { name: this.#key, pieces: [] });
      this.#state = character === '"' ? 'inString' : 'inOther';
      return character === '"' ? at + 1 : at;
    }
    this.#state = this.#afterPunctuation(character);
    return at + 1;
  }

  #afterPunctuation(character: string): State {
    if (this.#state === 'start' && character === '{') return 'key';
    if (this.#state === 'key' && character === '"') {
      this.#key = '';
      return 'inKey';
    }
    if (this.#state === 'colon' && character === ':') return 'value';
    if (this.#state === 'comma' && character === ',') return 'key';
    return 'end';
  }

  /** Inside a string: runs of plain characters at once, escapes one by one. */
  #string(chunk: string, at: number, give: (text: string) => void, next: State): number {
    if (this.#escape !== '') return this.#inEscape(chunk.charAt(at), at, give);
    let end = at;
    while (end < chunk.length && chunk.charCodeAt(end) !== 34 && chunk.charCodeAt(end) !== 92) end++;
    if (end > at) give(chunk.slice(at, end));
    if (end === chunk.length) return end;
    if (chunk.charAt(end) === '\\') this.#escape = '\\';
    else this.#state = next;
    return end + 1;
  }

  #inEscape(character: string, at: number, give: (text: string) => void): number {
    this.#escape += character;
    if (this.#escape.startsWith('\\u')) {
      if (this.#escape.length < 6) return at + 1;
      const code = Number.parseInt(this.#escape.slice(2), 16);
      if (!Number.isNaN(code)) give(String.fromCharCode(code));
    } else {
      give(ESCAPES[character] ?? '');
    }
    this.#escape = '';
    return at + 1;
  }

  /** A number, a literal, an array or an object: its text up to the comma or bracket that ends it. */
  #other(chunk: string, at: number, added: { name: string; text: string }[]): number {
    for (let end = at; end < chunk.length; end++) {
      const character = chunk.charAt(end);
      if (this.#inInnerString) {
        if (this.#innerEscape) this.#innerEscape = false;
        else if (character === '\\') this.#innerEscape = true;
        else if (character === '"') this.#inInnerString = false;
        continue;
      }
      if (character === '"') this.#inInnerString = true;
      else if (character === '[' || character === '{') this.#depth++;
      else if (this.#depth > 0 && (character === ']' || character === '}')) this.#depth--;
      else if (this.#depth === 0 && (character === ',' || character === '}')) {
        this.#add(chunk.slice(at, end), added);
        this.#state = character === ',' ? 'key' : 'end';
        return end + 1;
      }
    }
    this.#add(chunk.slice(at), added);
    return chunk.length;
  }

  #add(text: string, added: { name: string; text: string }[]): void {
    if (text === '') return;
    this.#values.get(this.#key)?.pieces.push(text);
    const last = added.at(-1);
    if (last?.name === this.#key) last.text += text;
    else added.push({ name: this.#key, text });
  }
}
