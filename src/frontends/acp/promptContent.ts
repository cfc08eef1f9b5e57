import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Image } from '../../shared/events.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { isInside } from './isInside.ts';

export interface PromptContent {
  text: string;
  images: Image[];
}

/**
 * A prompt's blocks as one message. Links stand in the text where the person put them; what an embedded resource holds follows at
 * the end, with its place. @throws RequestError for sound, which is not offered, and when nothing is left
 */
export function promptContent(blocks: readonly ContentBlock[], cwd: string, locale: Locale): PromptContent {
  const images: Image[] = [];
  const attached: string[] = [];
  let text = '';
  const link = (name: string, uri: string): void => {
    const gap = text === '' || /\s$/.test(text) ? '' : ' ';
    text += `${gap}[${name}](${placeOf(uri, cwd)})`;
  };
  let afterLink = false;
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += `${afterLink && /^[\p{L}\p{N}]/u.test(block.text) ? ' ' : ''}${block.text}`;
        break;
      case 'image':
        images.push({ mediaType: block.mimeType, data: block.data });
        break;
      case 'resource_link':
        link(block.title ?? block.name, block.uri);
        break;
      case 'resource': {
        const { resource } = block;
        if ('text' in resource) {
          link(nameOf(resource.uri), resource.uri);
          attached.push(`<attached path="${placeOf(resource.uri, cwd)}">\n${resource.text}\n</attached>`);
        } else if (resource.mimeType?.startsWith('image/')) {
          images.push({ mediaType: resource.mimeType, data: resource.blob });
        } else {
          link(nameOf(resource.uri), resource.uri);
        }
        break;
      }
      case 'audio':
        throw new RequestError(-32602, translate(locale, message('acp.error.audio')));
    }
    afterLink = block.type === 'resource_link' || block.type === 'resource';
  }
  const whole = [text.trim(), ...attached].filter((part) => part !== '').join('\n\n');
  if (whole === '' && images.length === 0)
    throw new RequestError(-32602, translate(locale, message('acp.error.emptyPrompt')));
  return { text: whole, images };
}

/** A file of the workspace by its relative path, another by its absolute one; anything else by its address. */
function placeOf(uri: string, cwd: string): string {
  const path = pathOf(uri);
  if (path === undefined) return uri;
  return isInside(path, cwd) ? relative(cwd, path).split(sep).join('/') || '.' : path;
}

function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri.replace(/[?#].*$/, '')) : undefined;
  } catch (error) {
    // Not an address of this machine: it is shown as it came.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function nameOf(uri: string): string {
  return (
    uri
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? uri
  );
}
