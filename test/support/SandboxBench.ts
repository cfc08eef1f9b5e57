import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Sandbox,
  type SandboxedCommand,
  type SandboxedResult,
  type SandboxOptions,
} from '../../src/services/sandbox/Sandbox.ts';
import { isProtected } from '../../src/core/approval/protectedPaths.ts';
import { translate } from '../../src/shared/strings.ts';

export interface BenchRun extends SandboxedResult {
  output: string;
}

/** A person's home, a workspace in it, and the real sandbox. Where there is none the tests fail. */
export class SandboxBench {
  readonly base: string;
  readonly home: string;
  readonly workspace: string;
  /** Our own data. */
  readonly data: string;
  readonly sandbox: Sandbox;

  constructor(
    options: Partial<SandboxOptions> = {},
    base = mkdtempSync(join(tmpdir(), 'lathe-sandbox-test-')),
  ) {
    this.base = realpathSync(base);
    this.home = join(this.base, 'home');
    this.workspace = join(this.home, 'code', 'project');
    this.data = join(this.home, '.local', 'share', 'lathe');
    mkdirSync(this.workspace, { recursive: true });
    const { environment = process.env, platform = process.platform } = options;
    this.sandbox = new Sandbox({
      environment,
      platform,
      home: this.home,
      folder: join(this.data, 'sandbox'),
    });
  }

  /** The same folders on another machine. */
  with(options: Partial<SandboxOptions>): SandboxBench {
    return new SandboxBench(options, this.base);
  }

  close(): void {
    this.sandbox.dispose();
    rmSync(this.base, { recursive: true, force: true });
  }

  /** @throws with what to install, so that a test never passes because nothing ran */
  async require(): Promise<void> {
    const missing = await this.sandbox.missing(this.workspace);
    if (missing) throw new Error(`${translate('en', missing)} On Debian: apt-get install bubblewrap`);
  }

  /** `path` is relative to the folder that holds the home. */
  write(path: string, content = 'text\n', mode = 0o644): string {
    const whole = join(this.base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    chmodSync(whole, mode);
    return whole;
  }

  inWorkspace(path: string, content?: string): string {
    return this.write(join('home/code/project', path), content);
  }

  read(path: string): string | undefined {
    const whole = join(this.workspace, path);
    return existsSync(whole) ? readFileSync(whole, 'utf8') : undefined;
  }

  /** A script for sh, as a program of the workspace would be run: protected files are guarded, nothing else is. */
  async sh(script: string, more: Partial<SandboxedCommand> = {}): Promise<BenchRun> {
    return await this.run([{ argv: ['sh', '-c', script], redirects: [], joint: undefined }], more);
  }

  async run(steps: SandboxedCommand['steps'], more: Partial<SandboxedCommand> = {}): Promise<BenchRun> {
    let output = '';
    const { workspace, data } = this;
    const result = await this.sandbox.run({
      steps,
      workspace,
      cwd: workspace,
      writable: true,
      network: false,
      classify: (path) => (isProtected(join(workspace, path), workspace, [data]) ? 'guarded' : undefined),
      absent: ['.git', '.vscode', '.lathe'],
      onOutput: (text) => (output += text),
      signal: AbortSignal.timeout(60_000),
      background: new Promise(() => undefined),
      ...more,
    });
    return { ...result, output };
  }
}
