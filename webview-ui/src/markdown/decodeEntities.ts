const known = new Map<string, string>();

/** `&amp;`, `&#39;`, `&eacute;` as the characters that they stand for. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi, (entity) => {
    const decoded = known.get(entity) ?? decode(entity);
    known.set(entity, decoded);
    return decoded;
  });
}

/** The browser knows the names; one entity alone holds no tag. */
function decode(entity: string): string {
  return new DOMParser().parseFromString(entity, 'text/html').documentElement.textContent;
}
