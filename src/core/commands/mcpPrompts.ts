import type { Image } from '../../shared/events.ts';
import type { McpContent, McpPromptOutcome, McpServer } from '../../shared/mcp.ts';
import { promptArguments, promptUsage } from '../../shared/mcpPrompt.ts';
import { message } from '../../shared/strings.ts';
import type { McpHost } from '../host/McpHost.ts';
import { fenced } from '../prompts/fenced.ts';
import type { ExpandedCommand } from './SlashCommands.ts';

/** `/server:prompt`, and what follows. */
const CALL = /^\/([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9_.-]{1,64})(?:\s+([^]*))?$/;
/** Characters of a prompt that the model is given. */
const LONGEST = 100_000;
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What a message that calls a prompt of an MCP server stands for; undefined for one that calls none that there is. */
export async function expandMcpPrompt(
  text: string,
  mcp: McpHost | undefined,
  signal: AbortSignal,
): Promise<ExpandedCommand | undefined> {
  const [, serverId = '', promptId = '', given = ''] = CALL.exec(text.trim()) ?? [];
  const server = mcp?.servers().find(({ id }) => id === serverId);
  if (!mcp || !server) return undefined;
  const name = `${serverId}:${promptId}`;
  const prompt = server.prompts.find(({ id }) => id === promptId);
  if (!prompt) {
    const names = server.prompts.map(({ id }) => id).join(', ') || '–';
    return {
      name,
      text: `I called the prompt /${name}, and the MCP server '${server.id}' has none of that name now. It has: ${names}. Tell me so.`,
      problem: message('mcp.prompt.unknown', { prompt: name, server: server.name, names }),
    };
  }
  const args = promptArguments(given.trim(), prompt);
  const missing = prompt.arguments.filter(
    (argument) => argument.required && args[argument.name] === undefined,
  );
  if (missing.length > 0) {
    const names = missing.map((argument) => argument.name).join(', ');
    return {
      name,
      text: `I called the prompt /${name} of an MCP server, and it was not asked for: it needs ${names}. Tell me how to write it: /${name} ${promptUsage(prompt)}`,
      problem: message('mcp.prompt.missing', {
        prompt: name,
        names,
        usage: `/${name} ${promptUsage(prompt)}`,
      }),
    };
  }
  const outcome = await promptOf(mcp, [server.id, prompt.id, args], signal);
  if (outcome.type === 'failure')
    return {
      name,
      text: `I called the prompt /${name} of an MCP server, and it could not be had (${outcome.message}). Tell me so, and what I can do.`,
      problem: message('mcp.prompt.failed', { prompt: name, reason: outcome.message }),
    };
  return { name, origin: 'mcp', ...wordsOf(server, name, outcome) };
}

/** The person's message is kept whatever they stop. */
async function promptOf(
  mcp: McpHost,
  [server, prompt, args]: readonly [string, string, Record<string, string>],
  signal: AbortSignal,
): Promise<McpPromptOutcome> {
  try {
    return await mcp.prompt(server, prompt, args, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'failure', class: 'transport', message: 'it was stopped', mayHaveRun: false };
  }
}

function wordsOf(
  server: McpServer,
  name: string,
  { messages }: Extract<McpPromptOutcome, { type: 'prompt' }>,
): Pick<ExpandedCommand, 'text' | 'images'> {
  const images: Image[] = [];
  const parts = messages.flatMap(({ role, content }) => {
    const words = content.map((piece) => textOf(piece, images)).join('\n\n');
    return role === 'user' && messages.length === 1
      ? [words]
      : [`${role === 'user' ? 'I' : 'You'}: ${words}`];
  });
  const whole = parts.join('\n\n');
  const body =
    whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST)}\n(Cut after ${LONGEST} characters.)`;
  return {
    text: `I call the prompt /${name}, which the MCP server '${server.id}' says stands for this:\n\n${body}`,
    ...(images.length === 0 ? {} : { images }),
  };
}

function textOf(piece: McpContent, images: Image[]): string {
  switch (piece.type) {
    case 'text':
      return piece.text;
    case 'image':
      if (!PICTURES.has(piece.mediaType))
        return `[a picture of the kind ${piece.mediaType}, which cannot be shown]`;
      images.push({ mediaType: piece.mediaType, data: piece.data });
      return '[a picture, which goes with this message]';
    case 'audio':
      return '[a sound, which cannot be played here]';
    case 'link':
      return `[resource ${piece.uri} (${piece.name})]`;
    case 'resource':
      return piece.text === undefined
        ? `[resource ${piece.uri}, which is not text]`
        : fenced('resource', { uri: piece.uri }, piece.text);
  }
}
