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

/** The editor's own models, by their id. Asks nobody: consent is asked before a model's first use. */
export async function findLanguageModels(): Promise<FoundService[]> {
  const models = await vscode.lm.selectChatModels();
  const ids = [...new Set(models.map(({ id }) => id))];
  return ids.length === 0 ? [] : [{ provider: 'vscode-lm', models: ids }];
}

/** What is used of one of the editor's models. */
export type EditorModel = Pick<vscode.LanguageModelChat, 'maxInputTokens' | 'sendRequest'>;

export interface LanguageModelOptions<T extends EditorModel> {
  /** Milliseconds without a part after which the request counts as stalled. */
  idleTimeoutMs: number;
  /** The model of that id; undefined when the editor has none. */
  select: (id: string) => Promise<T | undefined>;
  /** Whether the editor would have to ask the person first: nobody is hurried then. */
  asksFirst: (model: T) => boolean;
}

/** The provider of one of the editor's models, which knows its window. */
export async function languageModelProvider(
  model: string,
  idleTimeoutMs: number,
  access: vscode.LanguageModelAccessInformation,
): Promise<Provider> {
  return await VsCodeLanguageModelProvider.create<vscode.LanguageModelChat>(model, {
    idleTimeoutMs,
    select: async (id) => (await vscode.lm.selectChatModels({ id }))[0],
    asksFirst: (one) => access.canSendRequest(one) !== true,
  });
}

/** A model that another extension brings into the editor. The editor asks the person before its first use. One attempt a call. */
export class VsCodeLanguageModelProvider<T extends EditorModel> implements Provider {
  readonly id = 'vscode-lm';
  readonly #options: LanguageModelOptions<T>;
  readonly #windows = new Map<string, number>();

  private constructor(options: LanguageModelOptions<T>) {
    this.#options = options;
  }

  /** Ready to say what it knows of this model. */
  static async create<T extends EditorModel>(
    model: string,
    options: LanguageModelOptions<T>,
  ): Promise<VsCodeLanguageModelProvider<T>> {
    const provider = new VsCodeLanguageModelProvider(options);
    await provider.#select(model);
    return provider;
  }

  facts(model: string): ModelFacts {
    const contextWindow = this.#windows.get(model);
    return { ...(contextWindow === undefined ? {} : { contextWindow }), images: false, nativeTools: true };
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const { idleTimeoutMs, asksFirst } = this.#options;
    const cancellation = new vscode.CancellationTokenSource();
    let content = false;
    let called = false;
    try {
      const model = await within(this.#select(request.model), signal, idleTimeoutMs);
      if (!model) {
        yield failed(content, {
          message: message('provider.noModel', { model: request.model }),
          retryable: false,
        });
        return;
      }
      const response = await within(
        Promise.resolve(model.sendRequest(messagesOf(request), optionsOf(request), cancellation.token)),
        signal,
        asksFirst(model) ? undefined : idleTimeoutMs,
      );
      const parts = response.stream[Symbol.asyncIterator]();
      for (;;) {
        const next = await within(parts.next(), signal, idleTimeoutMs);
        if (next.done === true) break;
        const part: unknown = next.value;
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
      yield { type: 'end', stopReason: called ? 'tool_calls' : 'end' };
    } catch (error) {
      yield signal.aborted
        ? { type: 'end', stopReason: 'aborted' }
        : failed(content, requestError(error, request.model));
    } finally {
      // Whatever still runs is not waited for any more.
      cancellation.cancel();
      cancellation.dispose();
    }
  }

  async #select(id: string): Promise<T | undefined> {
    const model = await this.#options.select(id);
    if (model) this.#windows.set(id, model.maxInputTokens);
    return model;
  }
}

/** Nothing came for the idle time. */
class StalledError extends Error {
  override readonly name = 'StalledError';
  constructor(readonly seconds: number) {
    super(`no data for ${seconds} seconds`);
  }
}

/** Ends a wait on abort, or when it takes longer than `milliseconds`. */
async function within<T>(
  wait: Promise<T>,
  signal: AbortSignal,
  milliseconds: number | undefined,
): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const aborted = (): void => reject(new Error('aborted'));
    const timer =
      milliseconds === undefined
        ? undefined
        : setTimeout(() => reject(new StalledError(Math.round(milliseconds / 1000))), milliseconds);
    signal.addEventListener('abort', aborted, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
    };
  });
  try {
    return await Promise.race([wait, ended]);
  } finally {
    stop();
  }
}

/** After content came it is a cut: the same request must not be sent again as if nothing had happened. */
function failed(content: boolean, error: RequestError): ProviderEvent {
  return { type: 'end', stopReason: content ? 'cut' : 'error', error };
}

function requestError(error: unknown, model: string): RequestError {
  if (error instanceof StalledError)
    return {
      message: message('provider.stalled', { provider: model, seconds: error.seconds }),
      retryable: true,
    };
  if (error instanceof vscode.LanguageModelError) {
    switch (error.code) {
      case 'NoPermissions':
        return { message: message('vscode.modelNotAllowed', { model }), retryable: false };
      case 'NotFound':
        return { message: message('provider.noModel', { model }), retryable: false };
      case 'Blocked':
        return {
          message: message('vscode.modelBlocked', { model, reason: error.message }),
          retryable: false,
        };
      default:
        break;
    }
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { message: message('vscode.modelFailed', { model, reason }), retryable: false };
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

/** The editor's messages know no system role: its words come first in the person's first message. */
function messagesOf({ system, messages }: ProviderRequest): vscode.LanguageModelChatMessage[] {
  const [first, ...rest] = messages;
  const opening = new vscode.LanguageModelTextPart(system);
  const translated = (one: (typeof messages)[number]): vscode.LanguageModelChatMessage =>
    one.role === 'assistant'
      ? vscode.LanguageModelChatMessage.Assistant(one.content.flatMap(assistantPart))
      : vscode.LanguageModelChatMessage.User(one.content.flatMap(userPart));
  if (first?.role !== 'user')
    return [vscode.LanguageModelChatMessage.User([opening]), ...messages.map(translated)];
  const said = [opening, ...first.content.flatMap(userPart)];
  return [vscode.LanguageModelChatMessage.User(said), ...rest.map(translated)];
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
