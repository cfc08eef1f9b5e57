import type { FoundChunk } from './IndexStore.ts';
import { wordsOf } from './words.ts';

/** Places of one file in an answer: others shall have room. */
const A_FILE = 3;
/** What a file's second and third place add to its first. */
const FURTHER = [1, 0.35, 0.2];
/** How much less likely a place answers a question that does not name its like. */
const TESTS =
  /(?:^|[/._-])(?:tests?|specs?|__tests__|fixtures?|mocks?|bench(?:marks)?|examples?)(?:[/._-]|$)/i;
const LESS_FOR_TESTS = 0.5;
const PROSE = /\.(?:md|mdx|markdown|txt|rst|json|ya?ml|html)$/i;
const LESS_FOR_PROSE = 0.6;
const ABOUT_TESTS = new Set(wordsOf('test tests testing spec fixture mock bench benchmark example'));

/**
 * Orders what was found: places by their words' weight (the score), less for tests and prose unless the question is about them; files
 * by their best places together, so that one that speaks of it throughout comes before one that mentions it once.
 */
export function ranked(found: readonly FoundChunk[], words: readonly string[], limit: number): FoundChunk[] {
  const aboutTests = words.some((word) => ABOUT_TESTS.has(word));
  const files = new Map<string, FoundChunk[]>();
  for (const chunk of found) {
    let score = chunk.score;
    if (!aboutTests && TESTS.test(chunk.path)) score *= LESS_FOR_TESTS;
    if (PROSE.test(chunk.path)) score *= LESS_FOR_PROSE;
    const places = files.get(chunk.path) ?? [];
    places.push({ ...chunk, score });
    files.set(chunk.path, places);
  }
  const scored = [...files.values()].map((places) => {
    const best = places.sort((a, b) => b.score - a.score).slice(0, A_FILE);
    const total = best.reduce((sum, { score }, index) => sum + score * (FURTHER[index] ?? 0), 0);
    return { total, best };
  });
  scored.sort((a, b) => b.total - a.total);
  return cutTo(
    scored.map(({ best }) => best),
    limit,
  );
}

/** Each file's best place counts before any file's second: so that as many files as can be are named. */
function cutTo(files: readonly FoundChunk[][], limit: number): FoundChunk[] {
  const kept = files.slice(0, limit).map((places) => places.slice(0, 1));
  let room = limit - kept.length;
  for (let place = 1; place < A_FILE; place++)
    for (const [index, places] of kept.entries()) {
      const next = files[index]?.[place];
      const best = files[index]?.[0];
      if (room === 0 || !next || !best || next.score < best.score / 2) continue;
      places.push(next);
      room--;
    }
  return kept.flat();
}
