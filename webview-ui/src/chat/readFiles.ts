import type { Attachment, Image } from '../../../src/shared/events.ts';
import { message } from '../../../src/shared/strings.ts';
import { CallError } from '../transport.ts';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const LARGEST_PICTURE = 5 * 1024 * 1024;
const MOST_PICTURES = 10;
const LARGEST_TEXT = 200 * 1024;
const MOST_TEXTS = 10;

interface Beside {
  images: readonly Image[];
  attachments: readonly Attachment[];
}

/** Files as they go with a message: pictures, and texts. @throws CallError for what cannot go: then none of them is taken. */
export async function readFiles(files: Iterable<File>, before: Beside): Promise<Beside> {
  const all = [...files];
  const pictures = all.filter(({ type }) => type.startsWith('image/') && type !== 'image/svg+xml');
  const texts = all.filter((file) => !pictures.includes(file));
  if (before.images.length + pictures.length > MOST_PICTURES)
    throw refused('webview.tooManyPictures', { count: MOST_PICTURES });
  if (before.attachments.length + texts.length > MOST_TEXTS)
    throw refused('composer.tooManyFiles', { count: MOST_TEXTS });
  for (const { name, type, size } of pictures) {
    if (!PICTURES.includes(type)) throw refused('webview.noPicture', { name });
    if (size > LARGEST_PICTURE)
      throw refused('webview.largePicture', { name, megabytes: LARGEST_PICTURE / 1024 / 1024 });
  }
  const images = pictures.map(async (file) => ({ mediaType: file.type, data: await base64(file) }));
  const attachments = texts.map(async (file) => ({ name: file.name, text: await textOf(file) }));
  return {
    images: [...before.images, ...(await Promise.all(images))],
    attachments: [...before.attachments, ...(await Promise.all(attachments))],
  };
}

async function textOf(file: File): Promise<string> {
  const { name, size } = file;
  // A long binary file is refused for what it is.
  const head = await file.slice(0, 8192).arrayBuffer();
  if (new Uint8Array(head).includes(0)) throw refused('composer.binary', { name });
  if (size > LARGEST_TEXT) throw refused('composer.largeFile', { name, kilobytes: LARGEST_TEXT / 1024 });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw refused('composer.binary', { name });
    throw error;
  }
}

function refused(key: Parameters<typeof message>[0], args: Record<string, string | number>): CallError {
  return new CallError({ code: 'invalid_params', message: message(key, args) });
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let index = 0; index < bytes.length; index += 8192)
    binary += String.fromCharCode(...bytes.subarray(index, index + 8192));
  return btoa(binary);
}
