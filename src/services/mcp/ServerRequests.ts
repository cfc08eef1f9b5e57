import { pathToFileURL } from 'node:url';
import type {
  Client,
  ClientOptions,
  CreateMessageRequest,
  CreateMessageResult,
} from '@modelcontextprotocol/client';
import type { McpServerConfig } from './McpServerConfig.ts';

/** What a server wants to know from the person: a form's fields (a flat JSON schema), or a page that they shall visit. */
export type ElicitRequest =
  | { server: string; kind: 'form'; message: string; schema: Readonly<Record<string, unknown>> }
  | { server: string; kind: 'url'; message: string; url: string };
export type ElicitAnswer =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' | 'cancel' };
export type Elicit = (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>;
export type Sample = (
  server: string,
  params: CreateMessageRequest['params'],
  signal: AbortSignal,
) => Promise<CreateMessageResult>;

export interface ServerRequestsOptions {
  workspace: () => string | undefined;
  elicit?: Elicit;
  sample?: Sample;
}

/** What servers may ask of us, and who answers. What nobody can answer is not offered to them. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  capabilities({ roots, sampling }: McpServerConfig): NonNullable<ClientOptions['capabilities']> {
    const { elicit, sample } = this.#options;
    return {
      ...(elicit ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {}),
      ...(sampling && sample ? { sampling: {} } : {}),
      ...(roots ? { roots: {} } : {}),
    };
  }

  answer(client: Client, config: McpServerConfig): void {
    const { elicit, sample, workspace } = this.#options;
    if (elicit)
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
        const request: ElicitRequest =
          params.mode === 'url'
            ? { server: config.name, kind: 'url', message: params.message, url: params.url }
            : {
                server: config.name,
                kind: 'form',
                message: params.message,
                schema: params.requestedSchema,
              };
        return await this.elicit(request, mcpReq.signal);
      });
    if (config.sampling && sample)
      client.setRequestHandler(
        'sampling/createMessage',
        async ({ params }, { mcpReq }) => await sample(config.name, params, mcpReq.signal),
      );
    if (config.roots)
      client.setRequestHandler('roots/list', () => {
        const folder = workspace();
        return {
          roots: folder === undefined ? [] : [{ uri: pathToFileURL(folder).href, name: 'workspace' }],
        };
      });
  }

  /** Puts it to the person. A page that is not on the web is declined unasked. */
  async elicit(request: ElicitRequest, signal: AbortSignal): Promise<ElicitAnswer> {
    const { elicit } = this.#options;
    if (!elicit) return { action: 'cancel' };
    if (request.kind === 'url' && !isWebAddress(request.url)) return { action: 'decline' };
    return await elicit(request, signal);
  }
}

export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}
