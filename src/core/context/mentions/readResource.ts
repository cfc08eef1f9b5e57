import type { MentionTarget } from '../../../shared/mention.ts';
import type { McpContent } from '../../../shared/mcp.ts';
import { message } from '../../../shared/strings.ts';
import { decide } from '../../approval/decide.ts';
import { cutTo, MentionProblem, mentioned, type MentionSources, type Reading } from './MentionSources.ts';

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Base64 characters of a picture that a model is sent. */
const LARGEST_PICTURE = 6_500_000;

/**
 * A resource of an MCP server that a person named: their own word is the yes to reading it. Undefined where no server has that name.
 * @throws MentionProblem
 */
export async function readResource(
  written: string,
  { server: name, uri }: Extract<MentionTarget, { kind: 'resource' }>,
  budget: number,
  { host: { mcp }, deny, root, images, signal }: MentionSources,
): Promise<Reading | undefined> {
  const server = mcp?.servers().find(({ id }) => id === name);
  if (!mcp || !server) return undefined;
  const action = {
    ...({ type: 'mcp', operation: 'read', target: uri, automatic: false, changed: false } as const),
    ...{ server: server.name, source: server.source.path },
  };
  const policy = {
    auto: { read: false, edit: false, switchMode: false, all: false },
    allow: [],
    deny: [...deny],
  };
  if (decide(action, policy, { workspace: root }).verdict === 'deny')
    throw new MentionProblem(
      `The person’s rules deny reading resources of the MCP server '${server.id}'. Do without it, or ask them.`,
      message('mention.denied', { mention: written }),
    );
  if (['disabled', 'untrusted', 'needs_consent', 'needs_sign_in'].includes(server.state.type))
    throw new MentionProblem(
      `The MCP server '${server.id}' does not run now. Go on without it, or tell the person.`,
      message('mention.resourceOff', { mention: written, server: server.name }),
    );
  const outcome = await mcp.read(server.id, uri, { signal });
  if (outcome.type === 'failure') {
    const { message: reason } = outcome;
    throw new MentionProblem(
      `It was not read: ${reason}.`,
      message('mention.refused', { mention: written, reason }),
    );
  }
  const origin = { server: server.id, uri, trust: 'none' };
  const { text, cut } = cutTo(outcome.content.map(wordsOf).join('\n\n'), budget);
  const note = cut > 0 ? `\n(Cut after ${text.length} characters. Read it with access_mcp_resource.)` : '';
  return {
    kind: 'resource',
    outcome: cut > 0 ? 'part' : 'whole',
    content: [
      mentioned('resource', origin, text === '' ? '(It is empty.)' : `${text}${note}`),
      ...outcome.content.flatMap((piece) => pictureOf(piece, images)),
    ],
  };
}

function wordsOf(piece: McpContent): string {
  switch (piece.type) {
    case 'text':
      return piece.text;
    case 'resource':
      if (piece.text !== undefined) return piece.text;
      return `(${piece.mimeType ?? 'application/octet-stream'}, ${bytesOf(piece.blob)} bytes, which are not text.)`;
    case 'image':
    case 'audio':
      return `(${piece.mediaType}, ${bytesOf(piece.data)} bytes.)`;
    case 'link':
      return `[resource ${piece.uri} (${piece.name})]`;
  }
}

function pictureOf(piece: McpContent, images: boolean): Reading['content'] {
  if (piece.type !== 'resource' || piece.blob === undefined || !images) return [];
  const { blob: data, mimeType: mediaType = '' } = piece;
  return PICTURES.has(mediaType) && data.length <= LARGEST_PICTURE
    ? [{ type: 'image', mediaType, data }]
    : [];
}

function bytesOf(base64 = ''): number {
  return Buffer.byteLength(base64, 'base64');
}
