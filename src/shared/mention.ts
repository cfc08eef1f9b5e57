/** Lines of a file, counted from 1, both ends included. */
export interface MentionLines {
  first: number;
  last: number;
}

/** What the editor and git know, by the word that mentions it. */
export const MENTION_WORDS = ['problems', 'terminal', 'git-changes'] as const;
export type MentionWord = (typeof MENTION_WORDS)[number];

/** What a mention names, as far as its letters say. */
export type MentionTarget =
  | {
      kind: 'path';
      path: string;
      lines?: MentionLines;
      /** The name of a definition in the file. */
      symbol?: string;
      /** It cannot be anything but a path: where nothing is there, that must be said. `@someone` is a word like others. */
      certain: boolean;
    }
  | { kind: MentionWord }
  | { kind: 'commit'; hash: string }
  | { kind: 'url'; url: string }
  /** A resource of an MCP server: `@server:scheme://…`. */
  | { kind: 'resource'; server: string; uri: string };

export interface Mention {
  /** As it stands in the text, with its @. */
  text: string;
  /** Where it stands, in UTF-16 units. */
  start: number;
  end: number;
  target: MentionTarget;
}

/** Characters that end a mention which is not quoted, besides white space. */
const STOPS = `"'\`<>|*?，。；：！？、（）【】《》「」『』“”‘’`;
/** Begins a mention where no address, package or path goes on: at the start, after a blank, a bracket, or a letter of a script without blanks. */
const BEFORE =
  /[\s([{（【《「『“，。；：！？、\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const QUOTED = /^"([^"\n]+)"(?:#([\p{L}\p{N}_$.~-]+))?(?::(\d+)(?:-(\d+))?)?/u;
const WORD = new RegExp(`^(?:\\\\ |[^\\s${STOPS}])+`, 'u');
const FENCES = /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n[^]*?(?:^ {0,3}\1[^\n]*$|$(?![^]))|$)/gm;
const CODE_SPANS = /(`+)[^`\n]+\1/g;
const LONGEST = 1000;
/** A server as it is written, and an address of its own; a drive's letter is none. */
const RESOURCE = /^([A-Za-z0-9_.-]{1,64}):([a-z][a-z0-9+.-]+:\/\/.+)$/i;

/** The mentions of a text, in order. What stands in code is quoted, not meant. */
export function findMentions(text: string): Mention[] {
  const visible = blank(blank(text, FENCES), CODE_SPANS);
  const found: Mention[] = [];
  for (let at = visible.indexOf('@'); at >= 0; at = visible.indexOf('@', at + 1)) {
    const before = visible[at - 1];
    if (before !== undefined && !BEFORE.test(before)) continue;
    const mention = mentionAt(visible, at);
    if (!mention) continue;
    found.push(mention);
    at = mention.end - 1;
  }
  return found;
}

/** A path as it stands in a message, with the lines or the definition that are meant: `@src/a.ts:3-9`, `@"my file.ts":3`, `@src/a.ts#total`. */
export function mentionOf(path: string, part?: MentionLines | { symbol: string }): string {
  const suffix = part === undefined ? '' : suffixOf(part);
  const plain = `@${path}${suffix}`;
  if (reads(plain, path, part)) return plain;
  // A file that has the name of something else is named by the folder too.
  const inFolder = `@./${path}${suffix}`;
  return reads(inFolder, `./${path}`, part) ? inFolder : `@"${path}"${suffix}`;
}

function suffixOf(part: MentionLines | { symbol: string }): string {
  if ('symbol' in part) return `#${part.symbol}`;
  return part.first === part.last ? `:${part.first}` : `:${part.first}-${part.last}`;
}

/** Whether these letters mean just this. */
function reads(mention: string, path: string, part?: MentionLines | { symbol: string }): boolean {
  const [found, ...more] = findMentions(`${mention} `);
  if (found?.text !== mention || more.length > 0 || found.target.kind !== 'path') return false;
  const { lines, symbol } = found.target;
  if (found.target.path !== path) return false;
  if (part === undefined) return lines === undefined && symbol === undefined;
  if ('symbol' in part) return symbol === part.symbol;
  return lines?.first === part.first && lines.last === part.last;
}

function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (code) => code.replace(/[^\n]/g, ' '));
}

function mentionAt(text: string, start: number): Mention | undefined {
  const rest = text.slice(start + 1, start + 1 + LONGEST);
  const quoted = QUOTED.exec(rest);
  if (quoted) {
    const [whole, path = '', symbol, first, last] = quoted;
    const lines = linesOf(first, last);
    const target: MentionTarget = {
      kind: 'path',
      path,
      certain: true,
      ...(symbol === undefined ? {} : { symbol }),
      ...(lines ? { lines } : {}),
    };
    return { text: `@${whole}`, start, end: start + 1 + whole.length, target };
  }
  const raw = WORD.exec(rest)?.[0];
  if (raw === undefined) return undefined;
  const isUrl = /^https?:\/\//i.test(raw) || RESOURCE.test(raw);
  // An address may hold what ends a name.
  const word = trimmed(
    isUrl ? (/^[^\s"<>`，。；：！？、（）【】《》「」『』“”]+/u.exec(rest)?.[0] ?? raw) : raw,
  );
  const special = MENTION_WORDS.find((one) => new RegExp(`^${one}(?![\\w\\-./\\\\#:@])`).test(word));
  if (special) return mention(start, special, { kind: special });
  const target = resourceOf(word) ?? (isUrl ? urlOf(word) : wordTarget(word));
  return target && mention(start, word, target);
}

function mention(start: number, word: string, target: MentionTarget): Mention {
  return { text: `@${word}`, start, end: start + 1 + word.length, target };
}

/** Without the sentence's own marks at its end; a bracket that was opened in it belongs to it. */
function trimmed(word: string): string {
  let kept = word;
  for (;;) {
    const last = kept.at(-1) ?? '';
    const opened = { ')': '(', ']': '[', '}': '{' }[last];
    const balanced = opened !== undefined && count(kept, opened) >= count(kept, last);
    if (kept === '' || !'.,;:!?)]}'.includes(last) || balanced) return kept;
    // `..` and `.` are folders.
    if (/(^|\/)\.{1,2}$/.test(kept)) return kept;
    kept = kept.slice(0, -1);
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function resourceOf(word: string): MentionTarget | undefined {
  const [, server, uri] = RESOURCE.exec(word) ?? [];
  return server === undefined || uri === undefined ? undefined : { kind: 'resource', server, uri };
}

function urlOf(word: string): MentionTarget | undefined {
  return URL.canParse(word) ? { kind: 'url', url: word } : undefined;
}

function wordTarget(word: string): MentionTarget | undefined {
  if (/^[0-9a-f]{7,40}$/.test(word) && /\d/.test(word)) return { kind: 'commit', hash: word };
  if (word.includes('@') && !word.includes('/')) return undefined;
  const [, before = word, first, last] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(word) ?? [];
  const lines = linesOf(first, last);
  const [, file, symbol] = /^([^#]+)#([\p{L}\p{N}_$.~-]+)$/u.exec(before) ?? [];
  const path = (file ?? before).replaceAll('\\ ', ' ');
  if (path === '' || /^[/.\\]*$/.test(path.replace(/^\.{1,2}$/, 'x')) || /^\w+:\/\//.test(path))
    return undefined;
  return {
    kind: 'path',
    path,
    certain:
      lines !== undefined || symbol !== undefined || /[/\\]/.test(path) || /[^.]\.\w{1,10}$/.test(path),
    ...(lines ? { lines } : {}),
    ...(symbol === undefined ? {} : { symbol }),
  };
}

function linesOf(first: string | undefined, last: string | undefined): MentionLines | undefined {
  if (first === undefined) return undefined;
  const begin = Math.max(1, Number(first));
  return { first: begin, last: Math.max(begin, last === undefined ? begin : Number(last)) };
}
