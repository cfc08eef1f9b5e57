import { McpEntryError } from '../services/mcp/McpEntryError.ts';
import type { McpServer, McpServerRow } from '../shared/mcp.ts';
import { message } from '../shared/strings.ts';
import { ProtocolError, type Handlers } from './Dispatcher.ts';
import type { McpCompletable, McpHost, McpManager } from './host/McpHost.ts';

type McpMethod = Extract<keyof Handlers, `mcp/${string}`>;

/** Longest that a person takes to sign in, in milliseconds. */
const LONGEST_SIGN_IN = 10 * 60_000;
/** Milliseconds that a server is given to say how a word could go on. */
const LONGEST_COMPLETION = 5000;
/** Milliseconds in which several changes are told as one: servers start by the dozen. */
const PAUSE = 100;

/** What front ends see and ask of the MCP servers. */
export class McpServers {
  readonly #mcp: McpHost | undefined;
  readonly #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `mcp` is absent where there are no servers. `changed` is called some time after the first of several changes. */
  constructor(mcp: McpHost | undefined, changed: () => void) {
    this.#mcp = mcp;
    this.#stopListening = mcp?.manager?.onChanged(() => {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        changed();
      }, PAUSE);
    });
  }

  get handlers(): Pick<Handlers, McpMethod> {
    return {
      'mcp/list': () =>
        Promise.resolve({
          servers: (this.#mcp?.servers() ?? []).map(rowOf),
          problems: [...(this.#mcp?.manager?.problems() ?? [])],
          userFile: this.#mcp?.manager?.userFile ?? '',
        }),
      'mcp/logs': ({ server }) => Promise.resolve(this.#manager.logs(server)),
      'mcp/consent': async (consent) => ({ given: await this.#manager.consent(consent) }),
      'mcp/revoke': async ({ server }) => await this.#do(async (manager) => await manager.revoke(server)),
      'mcp/restart': async ({ server }) =>
        await this.#do(async (manager) => {
          // What the try ended with is the server's state, and told as a change.
          await manager.restart(server).catch(onlyErrors);
        }),
      'mcp/signIn': async ({ server }) =>
        await this.#do(async (manager) => {
          try {
            await manager.signIn(server, AbortSignal.timeout(LONGEST_SIGN_IN));
          } catch (error) {
            onlyErrors(error);
            throw new ProtocolError('unavailable', message('mcp.signInFailed', { reason: error.message }));
          }
        }),
      'mcp/signOut': async ({ server }) => await this.#do(async (manager) => await manager.signOut(server)),
      'mcp/entry': async ({ server }) => {
        try {
          return await this.#manager.entry(server);
        } catch (error) {
          throw inWords(error);
        }
      },
      'mcp/save': async ({ name, text, server }) =>
        await this.#do(async (manager) => await manager.save(name, text, server)),
      'mcp/remove': async ({ server }) => await this.#do(async (manager) => await manager.remove(server)),
      'mcp/setDisabled': async ({ server, disabled }) =>
        await this.#do(async (manager) => await manager.setDisabled(server, disabled)),
      'mcp/setTool': async ({ server, tool, ...change }) =>
        await this.#do(async (manager) => await manager.setTool(server, tool, change)),
      'mcp/complete': async ({ server, prompt, given, argument: name, value }) =>
        await this.#complete(server, { prompt, given }, { name, value }),
      'mcp/completeResource': async ({ server, uriTemplate, given, variable: name, value }) =>
        await this.#complete(server, { uriTemplate, given }, { name, value }),
    };
  }

  dispose(): void {
    this.#stopListening?.();
    clearTimeout(this.#timer);
  }

  async #complete(
    server: string,
    of: McpCompletable,
    written: { name: string; value: string },
  ): Promise<{ values: string[] }> {
    const signal = AbortSignal.timeout(LONGEST_COMPLETION);
    try {
      return { values: (await this.#mcp?.complete(server, of, written, { signal })) ?? [] };
    } catch (error) {
      // Too late to be of use.
      if (!signal.aborted) throw error;
      return { values: [] };
    }
  }

  async #do(action: (manager: McpManager) => Promise<void>): Promise<Record<string, never>> {
    try {
      await action(this.#manager);
      return {};
    } catch (error) {
      throw inWords(error);
    }
  }

  /** @throws ProtocolError where no servers are kept */
  get #manager(): McpManager {
    if (this.#mcp?.manager) return this.#mcp.manager;
    throw new ProtocolError('unavailable', message('mcp.unavailable'));
  }
}

/** The schemas of tools are the model's: hundreds of them are not carried to a screen with each change. */
function rowOf(server: McpServer): McpServerRow {
  return { ...server, tools: server.tools.map(({ inputSchema, outputSchema, ...tool }) => tool) };
}

function inWords(error: unknown): unknown {
  if (error instanceof McpEntryError)
    return new ProtocolError('invalid_params', error.words, { cause: error });
  return error;
}

function onlyErrors(error: unknown): asserts error is Error {
  if (!(error instanceof Error)) throw error;
}
