import {
  methods,
  type MethodInput,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type ProtocolErrorData,
} from '../shared/protocol.ts';
import { message, type Message } from '../shared/strings.ts';
import type { Logger } from './Logger.ts';

/** One function a method: a missing one does not compile. */
export type Handlers = { [M in MethodName]: (params: MethodParams<M>) => Promise<MethodResult<M>> };

/** A request that cannot be answered, with a sentence for the person. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  constructor(
    readonly code: ProtocolErrorData['code'],
    readonly words: Message,
    options?: ErrorOptions,
  ) {
    super(words.key, options);
  }

  get data(): ProtocolErrorData {
    return { code: this.code, message: this.words };
  }
}

export type Answer = { ok: true; result: unknown } | { ok: false; error: ProtocolErrorData };

/** Answers requests from any front end: checks their shape, calls the handler, and turns what goes wrong into data. */
export class Dispatcher {
  constructor(
    private readonly handlers: Handlers,
    private readonly logger: Logger,
  ) {}

  /** For callers in this process, who have types. Rejects with ProtocolError. */
  async call<M extends MethodName>(method: M, params: MethodInput<M>): Promise<MethodResult<M>> {
    const parsed = methods[method].params.safeParse(params);
    if (!parsed.success)
      throw new ProtocolError(
        'invalid_params',
        message('error.invalidRequest', { method, reason: parsed.error.message }),
      );
    const handler = this.handlers[method] as (params: unknown) => Promise<MethodResult<M>>;
    return await handler(parsed.data);
  }

  /** For what comes over a wire: never rejects. */
  async dispatch(method: string, params: unknown): Promise<Answer> {
    try {
      if (!isMethodName(method))
        throw new ProtocolError('not_found', message('error.unknownMethod', { method }));
      return { ok: true, result: await this.call(method, params as never) };
    } catch (error) {
      if (error instanceof ProtocolError) return { ok: false, error: error.data };
      this.logger.error(`request ${method} failed`, error);
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, error: { code: 'internal', message: message('error.internal', { reason }) } };
    }
  }
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
