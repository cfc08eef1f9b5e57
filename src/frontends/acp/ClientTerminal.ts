import { RequestError, type AgentContext, type TerminalHandle } from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../core/Logger.ts';
import type { CommandRequest, CommandResult, TerminalHost } from '../../core/host/Host.ts';
import { refusalWords } from './refusalWords.ts';

export interface ClientTerminalOptions {
  sessionId: string;
  client: Pick<AgentContext, 'createTerminal'>;
  /** Name of the shell that runs a command, as the client finds it. */
  shell: string;
  /** Hears of each terminal before anything is shown in it, and long before it is released. */
  onTerminal: (callId: string, terminalId: string) => Promise<void>;
  /** Text without control sequences. */
  plainText: (output: string) => string;
  logger: Logger;
}

/** Bytes of output that the client keeps for us. */
const OUTPUT_LIMIT = 1024 * 1024;
/** Milliseconds that a command which was killed gets to end. */
const GRACE = 3000;
const ENVIRONMENT = [
  { name: 'PAGER', value: 'cat' },
  { name: 'GIT_PAGER', value: 'cat' },
  { name: 'GIT_TERMINAL_PROMPT', value: '0' },
];

/** Runs approved commands in the client's terminals, where its person sees them. Every terminal is released in the end. */
export class ClientTerminal implements TerminalHost {
  readonly #options: ClientTerminalOptions;
  readonly #open = new Set<TerminalHandle>();

  constructor(options: ClientTerminalOptions) {
    this.#options = options;
  }

  async run(request: CommandRequest): Promise<CommandResult> {
    const { signal, background, callId } = request;
    signal.throwIfAborted();
    const terminal = await this.#create(request);
    this.#open.add(terminal);
    if (callId !== undefined) await this.#options.onTerminal(callId, terminal.id);
    const ended = this.#ended(terminal, request);
    // It may end in error while nobody waits for it: a background command of a client that has gone.
    ended.catch(() => undefined);
    return await Promise.race([ended, background.then((): CommandResult => ({ background: true }))]);
  }

  /** Ends and releases what still runs. */
  async dispose(): Promise<void> {
    await Promise.allSettled([...this.#open].map((terminal) => this.#release(terminal)));
  }

  async #create({ command, cwd }: CommandRequest): Promise<TerminalHandle> {
    const { client, sessionId, shell } = this.#options;
    try {
      return await client.createTerminal({
        sessionId,
        command: shell,
        args: shellArguments(shell, command),
        env: ENVIRONMENT,
        cwd,
        outputByteLimit: OUTPUT_LIMIT,
      });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // Named as a system names it when a program does not start, which is what has happened.
      throw Object.assign(
        new Error(`the editor's terminal refused it: ${refusalWords(error)}`, { cause: error }),
        {
          syscall: 'spawn terminal',
        },
      );
    }
  }

  async #ended(terminal: TerminalHandle, { signal, onOutput }: CommandRequest): Promise<CommandResult> {
    const { plainText, logger } = this.#options;
    const stop = (): void =>
      void terminal
        .kill()
        .catch((error: unknown) => logger.warn(`terminal ${terminal.id}: ${String(error)}`));
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      const exit = terminal.waitForExit();
      const killed = aborted(signal).then(async () => {
        await delay(GRACE, undefined, { ref: false });
        return { exitCode: null, signal: 'SIGKILL' };
      });
      const { exitCode, signal: name } = await Promise.race([exit, killed]);
      const { output } = await terminal.currentOutput();
      onOutput(plainText(output));
      if (name !== null && name !== undefined) return { signal: name };
      return typeof exitCode === 'number' ? { exitCode } : {};
    } finally {
      signal.removeEventListener('abort', stop);
      await this.#release(terminal);
    }
  }

  async #release(terminal: TerminalHandle): Promise<void> {
    if (!this.#open.delete(terminal)) return;
    try {
      await terminal.release();
    } catch (error) {
      // What the command did counts; that the client has lost its terminal meanwhile does not.
      this.#options.logger.warn(`terminal ${terminal.id}: ${String(error)}`);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function shellArguments(shell: string, command: string): string[] {
  const name = shell.toLowerCase();
  if (/^(pwsh|powershell)(\.exe)?$/.test(name)) return ['-NoProfile', '-NonInteractive', '-Command', command];
  if (/^cmd(\.exe)?$/.test(name)) return ['/d', '/s', '/c', command];
  return ['-c', command];
}
