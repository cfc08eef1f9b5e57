/**
 * A text in an element whose end it cannot write: where it holds the tag itself, the tag is another one. Attributes are on one line
 * and cannot close it.
 */
export function fenced(name: string, attributes: Readonly<Record<string, string>>, text: string): string {
  let tag = name;
  while (new RegExp(`</?${tag}`, 'i').test(text)) tag += '_';
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?').replace(/["<>]/g, '_')}"`,
  );
  return `<${tag}${written.join('')}>\n${text}\n</${tag}>`;
}
