import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { AssistantPart, ProviderRequest, UserPart } from '../core/provider/Provider.ts';

export interface PromptOptions {
  /** Set on the system text and the last two user messages, where the API wants its cache marked. */
  cacheMark?: SharedV4ProviderOptions | undefined;
  /** A tool's result may hold text only, as in OpenAI's chat API: its pictures follow in a user message. */
  textResults?: boolean | undefined;
}

type ToolResult = Extract<UserPart, { type: 'tool_result' }>;
type Spoken = Exclude<UserPart, ToolResult>;

/** A request's system text and messages as the packages take them. The same beginning always renders the same. */
export function promptOf(
  { system, messages }: Pick<ProviderRequest, 'system' | 'messages'>,
  options: PromptOptions,
): LanguageModelV4Prompt {
  const mark = options.cacheMark ? { providerOptions: options.cacheMark } : {};
  const marked = new Set(messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2));
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: system, ...mark }];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      const rendered = userMessages(message.content, options);
      const last = rendered.pop();
      if (last) prompt.push(...rendered, marked.has(index) ? { ...last, ...mark } : last);
    } else {
      const content = message.content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
      if (content.length > 0) prompt.push(assistantMessage(content));
    }
  }
  return prompt;
}

/** Results are a message of their own, before what the person said. */
function userMessages(parts: readonly UserPart[], { textResults }: PromptOptions): LanguageModelV4Message[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const spoken = parts.filter((part) => part.type !== 'tool_result');
  const said = [...(textResults === true ? results.flatMap(picturesOf) : []), ...spoken].filter(
    // APIs refuse blank text.
    (part) => part.type === 'image' || part.text.trim() !== '',
  );
  const messages: LanguageModelV4Message[] = [];
  if (results.length > 0) {
    messages.push({
      role: 'tool',
      content: results.map((result) => ({
        type: 'tool-result' as const,
        toolCallId: result.callId,
        toolName: result.tool,
        output: outputOf(result, textResults === true),
      })),
    });
  }
  if (said.length > 0)
    messages.push({
      role: 'user',
      content: said.map((part) => (part.type === 'text' ? part : file(part))),
    });
  return messages;
}

function outputOf({ content, isError }: ToolResult, textOnly: boolean): LanguageModelV4ToolResultOutput {
  if (!textOnly && content.some((part) => part.type === 'image'))
    return { type: 'content', value: content.map((part) => (part.type === 'text' ? part : file(part))) };
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  // The chat APIs have no mark for a failure, and their packages would wrap its words in JSON: the words say it themselves.
  return { type: isError && !textOnly ? 'error-text' : 'text', value: text };
}

function picturesOf({ callId, tool, content }: ToolResult): Spoken[] {
  const images = content.filter((part) => part.type === 'image');
  return images.length === 0
    ? []
    : [{ type: 'text', text: `[${tool}] Pictures of the result of call ${callId}:` }, ...images];
}

function file({ mediaType, data }: { mediaType: string; data: string }): LanguageModelV4FilePart {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function assistantMessage(
  parts: readonly AssistantPart[],
): Extract<LanguageModelV4Message, { role: 'assistant' }> {
  return {
    role: 'assistant',
    content: parts.map((part) => {
      switch (part.type) {
        case 'text':
          return { type: 'text', text: part.text };
        case 'reasoning':
          return { type: 'reasoning', text: part.text, ...metadata(part.providerMetadata) };
        case 'tool_call':
          return {
            type: 'tool-call',
            toolCallId: part.callId,
            toolName: part.tool,
            input: part.arguments,
            ...metadata(part.providerMetadata),
          };
      }
    }),
  };
}

function metadata(value: Record<string, unknown> | undefined): { providerOptions?: SharedV4ProviderOptions } {
  // It came from the same package as JSON and goes back to it unread.
  return value ? { providerOptions: value as SharedV4ProviderOptions } : {};
}
