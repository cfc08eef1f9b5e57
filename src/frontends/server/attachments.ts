import { ProtocolError } from '../../core/Dispatcher.ts';
import type { ChatRequest } from '../../shared/chat.ts';
import type { Attachment, Image } from '../../shared/events.ts';
import { message } from '../../shared/strings.ts';

/** Pictures for the model to see, and texts for it to read. @throws ProtocolError for what is neither */
export function attachmentsOf(given: NonNullable<ChatRequest['attachments']>): {
  images: Image[];
  attachments: Attachment[];
} {
  const images: Image[] = [];
  const attachments: Attachment[] = [];
  for (const { name, mime_type, data } of given) {
    const base64 = data.replace(/^data:[^,]*;base64,/, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
      throw new ProtocolError('invalid_params', message('server.notBase64', { name }));
    if (/^image\/(png|jpeg|gif|webp)$/.test(mime_type)) images.push({ mediaType: mime_type, data: base64 });
    else attachments.push({ name, text: textOf(name, base64) });
  }
  return { images, attachments };
}

function textOf(name: string, base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ProtocolError('invalid_params', message('server.notText', { name }), { cause: error });
  }
}
