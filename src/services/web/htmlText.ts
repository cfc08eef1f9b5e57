/** Elements whose content nobody reads on the page. */
const UNREAD = new Set(
  'script style noscript template svg math iframe object canvas select dialog'.split(' '),
);
const BLOCKS = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form header hr main nav ol p section summary table tbody thead tr ul'.split(
    ' ',
  ),
);
const ENTITIES: Readonly<Record<string, string>> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    shy: '',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
  },
  ...{
    ndash: '–',
    mdash: '—',
    hellip: '…',
    bull: '•',
    middot: '·',
    sect: '§',
    para: '¶',
    copy: '©',
    reg: '®',
  },
  ...{ trade: '™', deg: '°', times: '×', divide: '÷', plusmn: '±', minus: '−', ne: '≠', le: '≤', ge: '≥' },
  ...{ laquo: '«', raquo: '»', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', lsaquo: '‹', rsaquo: '›' },
  ...{ larr: '←', uarr: '↑', rarr: '→', darr: '↓', check: '✓', euro: '€', pound: '£', yen: '¥', cent: '¢' },
  ...{
    zwj: '',
    zwnj: '',
    lrm: '',
    rlm: '',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    szlig: 'ß',
    Auml: 'Ä',
    Ouml: 'Ö',
  },
  ...{ Uuml: 'Ü', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ' },
};

/**
 * What a page says, as text: headings with #, lists with -, links with their addresses, code as it stands. What only a program
 * would see is left out.
 */
export function htmlText(html: string, base: string): { title: string; text: string } {
  const tokens = new Tokens(html);
  const writer = new Writer(base);
  let title = '';
  for (let token = tokens.next(); token; token = tokens.next()) {
    const { text, tag } = token;
    writer.text(text);
    if (!tag) continue;
    if (tag.name === 'title' && !tag.closing) title = tokens.skip('title') ?? '';
    else if (UNREAD.has(tag.name) && !tag.closing) tokens.skip(tag.name);
    else if (tag.closing) writer.close(tag.name);
    else writer.open(tag.name, tag.attributes);
  }
  return { title: decodeEntities(title).replace(/\s+/g, ' ').trim(), text: writer.result() };
}

interface Tag {
  name: string;
  closing: boolean;
  attributes: string;
}

/** The tags of a page with the text before each, in one walk: no text makes it look at a place more than a few times. */
class Tokens {
  readonly #html: string;
  readonly #lower: string;
  /** Elements that nothing closes any more. */
  readonly #unclosed = new Set<string>();
  #at = 0;

  constructor(html: string) {
    this.#html = html;
    // Of the same length, whatever the letters: only ASCII has tags.
    this.#lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }

  next(): { text: string; tag?: Tag } | undefined {
    const start = this.#at;
    if (start >= this.#html.length) return undefined;
    const open = this.#html.indexOf('<', start);
    const text = this.#html.slice(start, open < 0 ? undefined : open);
    if (open < 0) {
      this.#at = this.#html.length;
      return { text };
    }
    if (this.#html.startsWith('<!--', open)) {
      this.#at = this.#after('-->', open + 4);
      return { text };
    }
    const [, mark = '', name] =
      /^<(\/|[!?])?([a-z][a-z0-9-]*)?/.exec(this.#lower.slice(open, open + 40)) ?? [];
    if (mark === '!' || mark === '?') {
      this.#at = this.#after('>', open);
      return { text };
    }
    if (name === undefined) {
      this.#at = open + 1;
      return { text: `${text}<` };
    }
    const attributes = open + 1 + mark.length + name.length;
    const end = this.#endOfTag(attributes);
    this.#at = end + 1;
    return { text, tag: { name, closing: mark === '/', attributes: this.#html.slice(attributes, end) } };
  }

  /** Goes behind the end of this element, and gives what stands in it. Undefined where nothing ends it. */
  skip(name: string): string | undefined {
    if (this.#unclosed.has(name)) return undefined;
    const end = this.#lower.indexOf(`</${name}`, this.#at);
    if (end < 0) {
      this.#unclosed.add(name);
      return undefined;
    }
    const content = this.#html.slice(this.#at, end);
    this.#at = this.#after('>', end);
    return content;
  }

  /** A tag that does not end takes the rest of the page with it. */
  #endOfTag(from: number): number {
    for (let at = from; at < this.#html.length; at++) {
      const character = this.#html[at];
      if (character === '>') return at;
      if (character !== '"' && character !== "'") continue;
      const close = this.#html.indexOf(character, at + 1);
      if (close < 0) return this.#html.length;
      at = close;
    }
    return this.#html.length;
  }

  #after(mark: string, from: number): number {
    const found = this.#html.indexOf(mark, from);
    return found < 0 ? this.#html.length : found + mark.length;
  }
}

/** Puts the text together piece by piece, and knows how it ends: nothing that was written is looked at again. */
class Writer {
  readonly #base: string;
  readonly #pieces: string[] = [];
  /** Breaks that come before the next words; a space that does. */
  #breaks = 0;
  #space = false;
  /** After a mark such as - or #: its words follow at once. */
  #glued = true;
  #pre = 0;
  /** Which piece each open link begins with, and where it leads. */
  readonly #links: { from: number; href: string | undefined }[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  text(raw: string): void {
    if (raw === '') return;
    const text = decodeEntities(raw);
    if (this.#pre > 0) {
      this.#put(text);
      return;
    }
    if (/^\s/.test(text)) this.#space = true;
    const words = text.trim();
    if (words === '') return;
    this.#put(words.replace(/\s+/g, ' '));
    this.#space = /\s$/.test(text);
  }

  open(name: string, attributes: string): void {
    if (name === 'br') this.#break(1);
    else if (name === 'a')
      this.#links.push({ from: this.#pieces.length, href: attribute(attributes, 'href') });
    else if (name === 'img') this.#picture(attribute(attributes, 'alt') ?? '');
    else if (name === 'li') this.#begin(1, '- ');
    else if (/^h[1-6]$/.test(name)) this.#begin(2, `${'#'.repeat(Number(name[1]))} `);
    else if (name === 'pre') {
      this.#begin(2, '```\n');
      this.#pre++;
    } else if (name === 'td' || name === 'th') this.#cell();
    else if (name === 'tr' || name === 'dt' || name === 'dd') this.#break(1);
    else if (name === 'code' && this.#pre === 0) this.#put('`');
    else if (BLOCKS.has(name)) this.#break(2);
  }

  close(name: string): void {
    if (name === 'a') this.#link();
    else if (name === 'pre' && this.#pre > 0) {
      this.#pre--;
      this.#glued = false;
      this.#break(1);
      this.#put('```');
      this.#break(2);
    } else if (name === 'code' && this.#pre === 0) {
      this.#space = false;
      this.#put('`');
    } else if (name === 'tr' || name === 'li') this.#break(1);
    else if (/^h[1-6]$/.test(name) || BLOCKS.has(name)) this.#break(2);
  }

  result(): string {
    return this.#pieces.join('').trim();
  }

  #put(text: string): void {
    const gap = this.#glued ? '' : this.#breaks > 0 ? '\n'.repeat(this.#breaks) : this.#space ? ' ' : '';
    if (gap !== '') this.#pieces.push(gap);
    this.#pieces.push(text);
    this.#breaks = 0;
    this.#space = false;
    this.#glued = false;
  }

  #break(lines: 1 | 2): void {
    if (!this.#glued) this.#breaks = Math.max(this.#breaks, lines);
  }

  /** What a line begins with; its words follow without a space. */
  #begin(lines: 1 | 2, mark: string): void {
    this.#break(lines);
    this.#put(mark);
    this.#glued = true;
  }

  #cell(): void {
    if (this.#breaks === 0 && !this.#glued) this.#put(' | ');
    this.#space = false;
  }

  #picture(words: string): void {
    const text = decodeEntities(words).replace(/\s+/g, ' ').trim();
    if (text !== '') this.#put(`[picture: ${text}]`);
  }

  #link(): void {
    const link = this.#links.pop();
    if (!link) return;
    const words = this.#pieces.splice(link.from).join('');
    const text = words.trim();
    const href = decodeEntities(link.href ?? '');
    const url =
      text !== '' && !href.startsWith('#') && URL.canParse(href, this.#base)
        ? new URL(href, this.#base)
        : undefined;
    const leads = url && ['http:', 'https:'].includes(url.protocol) && href !== '' && url.href !== text;
    if (!leads) this.#pieces.push(words);
    else this.#pieces.push(words.slice(0, words.length - words.trimStart().length), `[${text}](${url.href})`);
  }
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)
        ? String.fromCodePoint(code)
        : whole;
    },
  );
}
