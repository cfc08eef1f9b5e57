import type { ChildProcess } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { message, type Message } from '../../shared/strings.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { sandboxEnvironment } from './environment.ts';
import { findProgram } from './findProgram.ts';
import { isInside, orUndefined } from './isInside.ts';
import { Placeholders } from './Placeholders.ts';
import { runSteps, killTree, type SandboxStep } from './runSteps.ts';
import type { Apart, SandboxProfile } from './SandboxProfile.ts';
import { scanWorkspace, WorkspaceTooLarge, type Classify, type ScanEntry } from './scanWorkspace.ts';
import { seatbeltArguments } from './seatbelt.ts';
import { setAside } from './setAside.ts';
import { findToolchain, systemFolders } from './toolchain.ts';

export interface SandboxOptions {
  environment: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** The person's home. */
  home: string;
  /** Where notes and what was set aside are kept; absolute, outside of every workspace. */
  folder: string;
}

export interface SandboxedCommand {
  /** Programs by their plain names. */
  steps: readonly SandboxStep[];
  /** Absolute, links resolved. The one folder that a command may change, whatever folder it runs in. */
  workspace: string;
  cwd: string;
  /** False for programs that only look: the workspace is read-only then. */
  writable: boolean;
  network: boolean;
  classify: Classify;
  /** Folders, relative to the workspace, that may not come into being either: they would take effect at once. */
  absent: readonly string[];
  onOutput: (text: string, source: object) => void;
  signal: AbortSignal;
  /** Resolves when the person sends the command to the background: it runs on. */
  background: Promise<void>;
}

export interface SandboxedResult {
  /** Absent while it runs on in the background. */
  exitCode?: number;
  background?: boolean;
  /** Protected files that the command made; they lie in `folder` now. Paths are relative to the workspace. */
  setAside?: { paths: string[]; folder: string };
}

/** Nothing was run, because the sandbox could not be made as it must be. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  constructor(
    readonly words: Message,
    options?: ErrorOptions,
  ) {
    super(words.key, options);
  }
}

/**
 * Runs commands where they can do no harm: bubblewrap on Linux, Seatbelt on macOS, nothing on Windows. What cannot be kept from harm
 * is not run.
 */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #placeholders: Placeholders;
  readonly #running = new Set<ChildProcess>();
  readonly #tooLarge = new Map<string, Message>();
  #works: Promise<Message | undefined> | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#placeholders = new Placeholders(options.folder);
  }

  /** Why no command can be run here, in words; undefined where one can. The machine is asked once. */
  async missing(workspace: string): Promise<Message | undefined> {
    const { home, folder } = this.#options;
    // What holds the person's home, or the whole disk, is no place to let a program write.
    if (isInside(home, workspace) || isInside(folder, workspace))
      return message('sandbox.workspace', { folder: workspace });
    return this.#tooLarge.get(workspace) ?? (await (this.#works ??= this.#tryOut()));
  }

  /** The program that a plain name stands for outside of the workspace; absolute. */
  async findProgram(name: string, workspace: string): Promise<string | undefined> {
    return await findProgram(name, this.#options.environment.PATH, workspace);
  }

  /** Rejects with SandboxError where nothing was run, and with the signal's reason when it fires. */
  async run(command: SandboxedCommand): Promise<SandboxedResult> {
    const missing = await this.missing(command.workspace);
    if (missing) throw new SandboxError(missing);
    const stop = new AbortController();
    const aborted = (): void => stop.abort(command.signal.reason);
    command.signal.throwIfAborted();
    command.signal.addEventListener('abort', aborted, { once: true });
    try {
      const ended = this.#run(command, stop.signal);
      const result = await Promise.race([
        ended,
        command.background.then((): SandboxedResult => ({ background: true })),
      ]);
      // What goes wrong after it was sent to the background is nobody's to hear.
      if (result.background === true) ended.catch(() => undefined);
      return result;
    } finally {
      command.signal.removeEventListener('abort', aborted);
    }
  }

  /** Ends everything that still runs. */
  dispose(): void {
    for (const child of this.#running) killTree(child);
  }

  async #run(command: SandboxedCommand, signal: AbortSignal): Promise<SandboxedResult> {
    const { workspace, classify, writable } = command;
    const steps = await this.#resolved(command);
    const before = await this.#scan(workspace, classify, signal);
    const { held, release } = await this.#placeholders.hold(
      writable ? command.absent.map((path) => join(workspace, path)) : [],
    );
    const temporary = this.#options.platform === 'darwin' ? await temporaryFolder() : undefined;
    try {
      const profile = await this.#profile(command, before, held, temporary);
      const words = await this.#words(profile, command.cwd);
      const exitCode = await runSteps(steps, {
        wrap: (argv) => [...words, ...argv],
        environment: profile.environment,
        onOutput: command.onOutput,
        signal,
        onProcess: (child, running) => {
          if (running) this.#running.add(child);
          else this.#running.delete(child);
        },
      });
      const aside = await this.#guardAgain(command, before);
      return { exitCode, ...(aside ? { setAside: aside } : {}) };
    } catch (error) {
      // Stopped in the middle: what it made until then is looked at all the same.
      if (signal.aborted) await this.#guardAgain(command, before);
      throw error;
    } finally {
      await release();
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    }
  }

  async #resolved({ steps, workspace }: SandboxedCommand): Promise<SandboxStep[]> {
    return await Promise.all(
      steps.map(async (step) => {
        const [name = '', ...rest] = step.argv;
        const program = name.startsWith('/') ? name : await this.findProgram(name, workspace);
        if (program === undefined) throw new SandboxError(message('sandbox.noProgram', { program: name }));
        return { ...step, argv: [program, ...rest] };
      }),
    );
  }

  async #scan(workspace: string, classify: Classify, signal?: AbortSignal): Promise<ScanEntry[]> {
    try {
      return await scanWorkspace(workspace, classify, signal);
    } catch (error) {
      if (!(error instanceof WorkspaceTooLarge)) throw error;
      const words = message('sandbox.tooLarge');
      this.#tooLarge.set(workspace, words);
      throw new SandboxError(words, { cause: error });
    }
  }

  async #guardAgain(
    { workspace, classify, writable, absent }: SandboxedCommand,
    before: readonly ScanEntry[],
  ): Promise<SandboxedResult['setAside']> {
    if (!writable) return undefined;
    const after = await this.#scan(workspace, classify);
    const made = after.filter(({ path, standing }) => standing === 'guarded' && !absent.includes(path));
    return await setAside(workspace, before, made, this.#options.folder);
  }

  async #profile(
    { workspace, writable, network }: SandboxedCommand,
    found: readonly ScanEntry[],
    held: readonly string[],
    temporary: string | undefined,
  ): Promise<SandboxProfile> {
    const { environment, home } = this.#options;
    const { shown, path } = await findToolchain(environment, home, workspace);
    const apart = (standing: ScanEntry['standing']): Apart[] =>
      found.flatMap((entry) =>
        entry.standing === standing && entry.type !== 'link'
          ? [{ path: join(workspace, entry.path), type: entry.type }]
          : [],
      );
    return {
      workspace,
      writable,
      home,
      ...(temporary === undefined ? {} : { temporary }),
      shown,
      guarded: writable
        ? [...apart('guarded'), ...held.map((one): Apart => ({ path: one, type: 'folder' }))]
        : [],
      hidden: apart('hidden'),
      network,
      environment: sandboxEnvironment(environment, {
        home: temporary ?? home,
        path,
        temporary: temporary ?? '/tmp',
      }),
    };
  }

  /** What stands before the program. */
  async #words(profile: SandboxProfile, cwd: string): Promise<string[]> {
    if (this.#options.platform === 'darwin') return seatbeltArguments(profile);
    const bwrap = await this.findProgram('bwrap', profile.workspace);
    if (bwrap === undefined) throw new SandboxError(message('sandbox.noBubblewrap'));
    return [bwrap, ...bubblewrapArguments(profile, await systemFolders(), cwd), '--'];
  }

  /** Whether the kernel lets us: a program that does nothing is run with all the walls up. */
  async #tryOut(): Promise<Message | undefined> {
    const { platform, environment, home } = this.#options;
    if (platform !== 'linux' && platform !== 'darwin') return message('sandbox.platform');
    const folder = await temporaryFolder();
    try {
      const program = await this.findProgram('true', folder);
      const needed = platform === 'linux' ? await this.findProgram('bwrap', folder) : '/usr/bin/sandbox-exec';
      if (needed === undefined) return message('sandbox.noBubblewrap');
      if (program === undefined) return message('sandbox.noProgram', { program: 'true' });
      const profile: SandboxProfile = {
        ...{ workspace: folder, writable: true, home, temporary: folder, shown: [], guarded: [], hidden: [] },
        network: false,
        environment: sandboxEnvironment(environment, { home, path: [], temporary: folder }),
      };
      const words = await this.#words(profile, folder);
      let said = '';
      const code = await runSteps([{ argv: [program], redirects: [], joint: undefined }], {
        wrap: (argv) => [...words, ...argv],
        environment: {},
        onOutput: (text) => (said += text),
        signal: AbortSignal.timeout(TRYING),
        onProcess: () => undefined,
      });
      return code === 0
        ? undefined
        : message('sandbox.refused', { reason: said.trim().split('\n')[0] ?? '' });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return message('sandbox.refused', { reason: error.message });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Milliseconds that a program which does nothing may take. */
const TRYING = 20_000;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lathe-sandbox-'));
  return (await orUndefined(realpath(folder))) ?? folder;
}
