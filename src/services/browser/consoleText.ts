import type { Protocol } from 'puppeteer-core';

/** Characters of one printed value. */
const LONGEST_VALUE = 300;

/** What a console call prints, as a person would read it. */
export function consoleText(values: readonly Protocol.Runtime.RemoteObject[]): string {
  return values.map(valueText).join(' ');
}

export function exceptionText({ exceptionDetails }: Protocol.Runtime.ExceptionThrownEvent): string {
  const { exception, text, url, lineNumber } = exceptionDetails;
  const where = url === undefined || url === '' ? '' : ` (${url}:${lineNumber + 1})`;
  return `${exception ? `${text} ${valueText(exception)}` : text}${where}`;
}

function valueText({
  type,
  value,
  description,
  preview,
  unserializableValue,
}: Protocol.Runtime.RemoteObject): string {
  if (type === 'string') return short(String(value));
  if (preview && (preview.subtype === undefined || preview.subtype === 'array')) return previewText(preview);
  if (description !== undefined) return short(description);
  if (unserializableValue !== undefined) return unserializableValue;
  return value === undefined ? type : short(JSON.stringify(value));
}

function previewText({ subtype, properties, overflow }: Protocol.Runtime.ObjectPreview): string {
  const isArray = subtype === 'array';
  const parts = properties.map(({ name, type, value = type }) => {
    const shown = type === 'string' ? JSON.stringify(value) : value;
    return isArray ? shown : `${name}: ${shown}`;
  });
  const inside = [...parts, ...(overflow ? ['…'] : [])].join(', ');
  return short(isArray ? `[${inside}]` : `{${inside}}`);
}

function short(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
