import type { BlockDelta } from '../../shared/tools.ts';

type State = 'start' | 'key' | 'inKey' | 'colon' | 'value' | 'inString' | 'inOther' | 'comma' | 'end';

type ParamDelta = Extract<BlockDelta, { type: 'param' }>;

interface Value {
  name: string;
  text: string;
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
  readonly #block: number;
  #state: State = 'start';
  #key = '';
  /** An escape sequence so far, `\u` and its digits included; '' outside of one. */
  #escape = '';
  /** A value that is no string: its open brackets, and whether it stands in a string. */
  #depth = 0;
  #inInnerString = false;
  #innerEscape = false;
  readonly #values = new Map<string, Value>();
  /** The one that arrives. */
  #value: Value | undefined;

  /** `block`: of which the values are parameters. */
  constructor(block: number) {
    this.#block = block;
  }

  push(chunk: string): ParamDelta[] {
    const added: ParamDelta[] = [];
    for (let at = 0; at < chunk.length;) at = this.#step(chunk, at, added);
    return added;
  }

  /** What has come of each value. */
  values(): Iterable<Readonly<Value>> {
    return this.#values.values();
  }

  /** Takes what starts at `at`; the index behind it. */
  #step(chunk: string, at: number, added: ParamDelta[]): number {
    switch (this.#state) {
      case 'inString':
      case 'inKey':
        return this.#escape === '' ? this.#string(chunk, at, added) : this.#inEscape(chunk, at, added);
      case 'inOther':
        return this.#other(chunk, at, added);
      case 'end':
        return chunk.length;
      default:
        break;
    }
    const character = chunk.charAt(at);
    if (' \t\r\n'.includes(character)) return at + 1;
    if (this.#state === 'value') {
      this.#value = { name: this.#key, text: '' };
      this.#values.set(this.#key, this.#value);
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
  #string(chunk: string, at: number, added: ParamDelta[]): number {
    let end = at;
    while (end < chunk.length && chunk.charCodeAt(end) !== 34 && chunk.charCodeAt(end) !== 92) end++;
    this.#give(chunk.slice(at, end), added);
    if (end === chunk.length) return end;
    if (chunk.charAt(end) === '\\') this.#escape = '\\';
    else this.#state = this.#state === 'inKey' ? 'colon' : 'comma';
    return end + 1;
  }

  #inEscape(chunk: string, at: number, added: ParamDelta[]): number {
    const character = chunk.charAt(at);
    this.#escape += character;
    if (this.#escape.startsWith('\\u')) {
      if (this.#escape.length < 6) return at + 1;
      const code = Number.parseInt(this.#escape.slice(2), 16);
      if (!Number.isNaN(code)) this.#give(String.fromCharCode(code), added);
    } else {
      this.#give(ESCAPES[character] ?? '', added);
    }
    this.#escape = '';
    return at + 1;
  }

  /** Characters of the string that is open, decoded. */
  #give(text: string, added: ParamDelta[]): void {
    if (this.#state === 'inKey') this.#key += text;
    else this.#add(text, added);
  }

  /** A number, a literal, an array or an object: its text up to the comma or bracket that ends it. */
  #other(chunk: string, at: number, added: ParamDelta[]): number {
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

  #add(text: string, added: ParamDelta[]): void {
    if (text === '' || !this.#value) return;
    this.#value.text += text;
    const last = added.at(-1);
    if (last?.name === this.#key) last.text += text;
    else added.push({ type: 'param', block: this.#block, name: this.#key, text });
  }
}
