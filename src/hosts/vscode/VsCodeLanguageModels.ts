import * as vscode from 'vscode';
import type {
  AssistantPart,
  ModelFacts,
  Provider,
  ProviderEvent,
  ProviderRequest,
  UserPart,
} from '../../core/provider/Provider.ts';
import type { RequestError } from '../../shared/events.ts';
import type { FoundService } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';

/** The editor's own models, by their id. */
export async function findLanguageModels(): Promise<FoundService[]> {
  const models = await vscode.lm.selectChatModels();
  return models.length === 0 ? [] : [{ provider: 'vscode-lm', models: models.map(({ id }) => id) }];
}

/** A model that another extension brings into the editor. The editor asks the person before its first use. */
export class VsCodeLanguageModelProvider implements Provider {
  readonly id = 'vscode-lm';
  readonly #windows = new Map<string, number>();

  facts(model: string): ModelFacts {
    const contextWindow = this.#windows.get(model);
    return { ...(contextWindow === undefined ? {} : { contextWindow }), images: false, nativeTools: true };
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const cancellation = new vscode.CancellationTokenSource();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    let content = false;
    let called = false;
    try {
      const [model] = await vscode.lm.selectChatModels({ id: request.model });
      if (!model) {
        yield {
          type: 'end',
          stopReason: 'error',
          error: { message: message('provider.noModel', { model: request.model }), retryable: false },
        };
        return;
      }
      this.#windows.set(request.model, model.maxInputTokens);
      const response = await model.sendRequest(messagesOf(request), optionsOf(request), cancellation.token);
      for await (const part of response.stream) {
        if (signal.aborted) break;
        if (part instanceof vscode.LanguageModelTextPart) {
          content = true;
          yield { type: 'text', text: part.value };
        } else if (part instanceof vscode.LanguageModelToolCallPart) {
          content = called = true;
          yield { type: 'tool_call_start', callId: part.callId, tool: part.name };
          yield { type: 'tool_call_delta', callId: part.callId, arguments: JSON.stringify(part.input) };
          yield { type: 'tool_call_end', callId: part.callId };
        }
      }
      yield { type: 'end', stopReason: signal.aborted ? 'aborted' : called ? 'tool_calls' : 'end' };
    } catch (error) {
      if (signal.aborted) yield { type: 'end', stopReason: 'aborted' };
      else
        yield {
          type: 'end',
          stopReason: content ? 'cut' : 'error',
          error: requestError(error, request.model),
        };
    } finally {
      signal.removeEventListener('abort', cancel);
      cancellation.dispose();
    }
  }
}

function requestError(error: unknown, model: string): RequestError {
  const provider = 'VS Code';
  if (error instanceof vscode.LanguageModelError) {
    if (error.code === vscode.LanguageModelError.NoPermissions.name)
      return { message: message('provider.badKey', { provider, status: 403 }), retryable: false };
    if (error.code === vscode.LanguageModelError.NotFound.name)
      return { message: message('provider.noModel', { model }), retryable: false };
    if (error.code === vscode.LanguageModelError.Blocked.name)
      return { message: message('provider.rateLimit', { provider }), retryable: true };
  }
  return {
    message: message('provider.badAnswer', {
      provider,
      reason: error instanceof Error ? error.message : String(error),
    }),
    retryable: false,
  };
}

function optionsOf({ tools }: ProviderRequest): vscode.LanguageModelChatRequestOptions {
  return {
    justification: 'Lathe sends your task and what its tools found to this model.',
    ...(tools
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            inputSchema: parameters,
          })),
        }
      : {}),
  };
}

/** The editor's messages know no system role: what it would say comes first, as the person's. */
function messagesOf({ system, messages }: ProviderRequest): vscode.LanguageModelChatMessage[] {
  return [
    vscode.LanguageModelChatMessage.User(system),
    ...messages.map(({ role, content }) =>
      role === 'assistant'
        ? vscode.LanguageModelChatMessage.Assistant(content.flatMap(assistantPart))
        : vscode.LanguageModelChatMessage.User(content.flatMap(userPart)),
    ),
  ];
}

function userPart(part: UserPart): (vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart)[] {
  switch (part.type) {
    case 'text':
      return [new vscode.LanguageModelTextPart(part.text)];
    case 'tool_result':
      return [
        new vscode.LanguageModelToolResultPart(
          part.callId,
          part.content.map(
            (one) => new vscode.LanguageModelTextPart(one.type === 'text' ? one.text : '(a picture)'),
          ),
        ),
      ];
    case 'image':
      return [new vscode.LanguageModelTextPart('(a picture, which this model does not see)')];
  }
}

function assistantPart(
  part: AssistantPart,
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  switch (part.type) {
    case 'text':
      return [new vscode.LanguageModelTextPart(part.text)];
    case 'tool_call':
      return [new vscode.LanguageModelToolCallPart(part.callId, part.tool, part.arguments)];
    case 'reasoning':
      return [];
  }
}
