/** Characters of an icon's address, and pixels of its sides: one beside a name needs no more. */
const LONGEST = 12_000;
const LARGEST_SIDE = 128;
const PREFIX = 'data:image/png;base64,';
const SIGNATURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/**
 * The first icon that can be drawn without asking anyone for it and without trusting who gave it: a small PNG that stands whole in its
 * address and does not move. Addresses of the web are never fetched: who looks at a list would be seen by whoever has the icon.
 */
export function drawableIcon(icons: readonly { src: string }[] | undefined): string | undefined {
  for (const { src } of icons ?? []) {
    if (src.length > LONGEST || !src.startsWith(PREFIX)) continue;
    const bytes = Buffer.from(src.slice(PREFIX.length), 'base64');
    if (bytes.length < 24 || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) continue;
    const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    if (sides.some((side) => side === 0 || side > LARGEST_SIDE) || bytes.includes('acTL')) continue;
    return `${PREFIX}${bytes.toString('base64')}`;
  }
  return undefined;
}
