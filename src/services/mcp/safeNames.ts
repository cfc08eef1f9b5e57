import { createHash } from 'node:crypto';

const LONGEST = 64;

/**
 * A name for each that a model can write in any protocol: letters, digits, `_`, `-`, `.`; at most 64 characters; no two alike, not
 * even but for case. A name that is fine stays as it is; any other ends in a hash of the original, so that it does not depend on its
 * neighbours and their order.
 */
export function safeNames(names: readonly string[]): Map<string, string> {
  const safe = new Map<string, string>();
  const taken = new Set<string>();
  const isFine = (name: string): boolean => /^[A-Za-z0-9_.-]+$/.test(name) && name.length <= LONGEST;
  for (const name of names) {
    if (!isFine(name) || safe.has(name) || taken.has(name.toLowerCase())) continue;
    safe.set(name, name);
    taken.add(name.toLowerCase());
  }
  for (const name of names) {
    if (safe.has(name)) continue;
    // Bounded by the number of names: each round's hash is another.
    for (let round = 0; ; round++) {
      const candidate = altered(name, round);
      if (taken.has(candidate.toLowerCase())) continue;
      safe.set(name, candidate);
      taken.add(candidate.toLowerCase());
      break;
    }
  }
  return safe;
}

function altered(name: string, round: number): string {
  const hash = createHash('sha256')
    .update(round === 0 ? name : `${name}\n${round}`)
    .digest('hex')
    .slice(0, 8);
  const readable = name.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, LONGEST - hash.length - 1);
  return `${readable}_${hash}`;
}
