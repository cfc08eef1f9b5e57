import type { Image } from '../../../src/shared/events.ts';
import { message } from '../../../src/shared/strings.ts';
import { CallError } from '../transport.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAXIMUM_BYTES = 5 * 1024 * 1024;
const MAXIMUM_COUNT = 10;

/** Pictures as they go to the model. @throws CallError for what is no picture or too large: then none is taken. */
export async function readImages(files: Iterable<File>, before: number): Promise<Image[]> {
  const all = [...files];
  if (before + all.length > MAXIMUM_COUNT) throw refused('webview.tooManyPictures', { count: MAXIMUM_COUNT });
  for (const { name, type, size } of all) {
    if (!TYPES.includes(type)) throw refused('webview.noPicture', { name });
    if (size > MAXIMUM_BYTES)
      throw refused('webview.largePicture', { name, megabytes: MAXIMUM_BYTES / 1024 / 1024 });
  }
  return await Promise.all(all.map(async (file) => ({ mediaType: file.type, data: await base64(file) })));
}

function refused(
  key: 'webview.tooManyPictures' | 'webview.noPicture' | 'webview.largePicture',
  args: Record<string, string | number>,
): CallError {
  return new CallError({ code: 'invalid_params', message: message(key, args) });
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let index = 0; index < bytes.length; index += 8192)
    binary += String.fromCharCode(...bytes.subarray(index, index + 8192));
  return btoa(binary);
}
