import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import type { McpContent } from '../../shared/mcp.ts';
import { withoutControls } from './ServerLog.ts';

/** What a tool answered, as plain data, in its order. */
export function contentOf({ content }: CallToolResult): McpContent[] {
  return content.map((block): McpContent => {
    switch (block.type) {
      case 'text': {
        const { audience } = block.annotations ?? {};
        const forPersonOnly = audience?.length === 1 && audience[0] === 'user';
        return {
          type: 'text',
          text: withoutControls(block.text),
          ...(forPersonOnly ? { forPersonOnly } : {}),
        };
      }
      case 'image':
        return { type: 'image', mediaType: block.mimeType, data: block.data };
      case 'audio':
        return { type: 'audio', mediaType: block.mimeType, data: block.data };
      case 'resource_link':
        return {
          type: 'link',
          uri: block.uri,
          name: block.title ?? block.name,
          ...(block.description === undefined ? {} : { description: block.description }),
          ...(block.mimeType === undefined ? {} : { mimeType: block.mimeType }),
        };
      case 'resource':
        return resourceOf(block.resource);
    }
  });
}

export function contentsOf({ contents }: ReadResourceResult): McpContent[] {
  return contents.map(resourceOf);
}

function resourceOf(resource: ReadResourceResult['contents'][number]): McpContent {
  return {
    type: 'resource',
    uri: resource.uri,
    ...(resource.mimeType === undefined ? {} : { mimeType: resource.mimeType }),
    ...('text' in resource ? { text: withoutControls(resource.text) } : {}),
    ...('blob' in resource ? { blob: resource.blob } : {}),
  };
}
