import { decodePath } from '../common/shortPath.ts';

export type LinkTarget =
  { type: 'external'; url: string } | { type: 'file'; path: string; line?: number } | { type: 'none' };

/** Where a link may lead: a page by http(s), or a file of the workspace. Anything else leads nowhere. */
export function linkTarget(href: string): LinkTarget {
  const address = href.trim();
  if (/^https?:\/\//i.test(address)) {
    return URL.canParse(address) ? { type: 'external', url: new URL(address).href } : { type: 'none' };
  }
  const local = /^file:\/\//i.test(address) ? address.slice('file://'.length) : address;
  if (/^[a-z][a-z0-9+.-]*:(?!\d+$)/i.test(local) && !/^[a-z]:[\\/]/i.test(local)) return { type: 'none' };
  if (local === '' || local.startsWith('#') || local.startsWith('//')) return { type: 'none' };
  return fileTarget(local);
}

/** A code span that names a file with its folder: `src/a.ts`, `src/a.ts:12`. */
export function pathInCode(code: string): LinkTarget {
  if (!/^(?:\.{0,2}\/)?[\w@.+-]+(?:\/[\w@.+-]+)+\.\w{1,8}(?::\d+(?:[:-]\d+)?)?$/.test(code))
    return { type: 'none' };
  return fileTarget(code);
}

function fileTarget(text: string): LinkTarget {
  const match = /^(.*?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?:[:-]\d+)?)?$/.exec(text);
  const path = decodePath(match?.[1] ?? text);
  const line = Number(match?.[2] ?? match?.[3] ?? 0);
  return line > 0 ? { type: 'file', path, line } : { type: 'file', path };
}
