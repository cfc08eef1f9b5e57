/** A run of letters, digits, `_` and `$` that is an identifier or a word; what is longer is data. */
const IDENTIFIER = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*|\p{N}+/gu;
const LONGEST = 64;
/** Where an identifier has seams: `_`, `$`, a capital behind a small letter, the last capital before a small one, digits. */
const SEAMS = /[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})/u;
/** Scripts without spaces between words: pairs of neighbours stand for them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Words that questions are made of and that say nothing of what is looked for. */
const QUESTION_WORDS = new Set(
  (
    'a an and any are as at be been being but by can could did do does doing done each for from gets had has have how ' +
    'i if in into is it its just let like make me my no not of on one only or our out over shall she should show so some ' +
    'such than that the their them then there these they this those to too up us use used uses using was we were what ' +
    'when where which while who whom whose why will with would you your'
  ).split(' '),
);

/** The words of a text as they are indexed: identifiers whole and in their parts, in small letters, parts stemmed. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [identifier] of text.matchAll(IDENTIFIER)) {
    if (identifier.length > LONGEST) continue;
    if (UNSPACED.test(identifier)) {
      words.push(...pairs(identifier));
      continue;
    }
    const parts = identifier.split(SEAMS).filter((part) => part !== '');
    if (parts.length > 1) words.push(identifier.toLowerCase());
    for (const part of parts) if (part.length > 1 || parts.length === 1) words.push(stem(part.toLowerCase()));
  }
  return words;
}

/** The words of a question that are worth looking for, each once; all of them when nothing else is left. */
export function wordsOfQuestion(question: string): string[] {
  const telling = question.replaceAll(IDENTIFIER, (word) =>
    QUESTION_WORDS.has(word.toLowerCase()) ? ' ' : word,
  );
  const words = wordsOf(telling);
  return [...new Set(words.length > 0 ? words : wordsOf(question))];
}

/** A light stem for English: plural, -ing, -ed, -er, -ion, a last e. What it makes need not be a word, only the same for its kin. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|x|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && !/(?:ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  for (const ending of ['ing', 'ed', 'er', 'or'])
    if (stem.endsWith(ending) && stem.length - ending.length >= 3) {
      stem = withoutDouble(stem.slice(0, -ending.length));
      break;
    }
  if (/[st]ion$/.test(stem) && stem.length > 5) stem = stem.slice(0, -3);
  if (stem.endsWith('e') && stem.length > 3) stem = stem.slice(0, -1);
  return stem;
}

function withoutDouble(stem: string): string {
  return /([bdgklmnprt])\1$/.test(stem) && stem.length > 3 ? stem.slice(0, -1) : stem;
}

function pairs(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
