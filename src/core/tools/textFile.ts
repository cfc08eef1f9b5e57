import { ToolError } from './ToolError.ts';

const BOM = '\ufeff';
/** Bytes looked at for what makes a file binary. */
const HEAD = 8192;

/** A file's text without its byte order mark, which is put back when it is written. */
export interface TextFile {
  text: string;
  bom: boolean;
}

export function isBinary(bytes: Uint8Array): boolean {
  return !isUtf16(bytes) && bytes.subarray(0, HEAD).includes(0);
}

/** For reading: what cannot be decoded is shown as the replacement character. UTF-16 by its byte order mark. */
export function decodeForReading(bytes: Uint8Array): string {
  return decoderFor(bytes).decode(bytes);
}

/** The decoder for a file that begins with these bytes. */
export function decoderFor(head: Uint8Array): InstanceType<typeof TextDecoder> {
  return new TextDecoder(isUtf16(head) ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8');
}

/** The beginning of a text, no character cut in two. */
export function clip(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** The end of a text, no character cut in two. */
export function clipStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const first = text.charCodeAt(text.length - length);
  return text.slice(text.length - length + (first >= 0xdc00 && first < 0xe000 ? 1 : 0));
}

/** For editing: every byte must survive. @throws ToolError when the file is no UTF-8 text */
export function decodeForEditing(bytes: Uint8Array, shown: string): TextFile {
  if (isBinary(bytes)) throw new ToolError(`'${shown}' is a binary file and cannot be edited as text.`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(BOM) ? { text: text.slice(1), bom: true } : { text, bom: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolError(
      `'${shown}' is not UTF-8 text, and editing it would damage it. Convert it with a command first, if the person agrees.`,
      { cause: error },
    );
  }
}

export function encode({ text, bom }: TextFile): Uint8Array {
  return new TextEncoder().encode(bom ? BOM + text : text);
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}
