import { RequestError } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel, xmlCall, type Turn } from '../../support/ScriptedModel.ts';
import { AcpClient, type AcpClientOptions } from './AcpClient.ts';

export const BUG = 'export const sum = (a, b) => a - b;\n';
export const MENDED = 'export const sum = (a, b) => a + b;\n';
/** The code and words of a request that was refused. */
export async function refusal(request: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await request;
  } catch (error) {
    if (error instanceof RequestError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('it was not refused');
}

export const done = (result = 'Done.') => ({ text: xmlCall('attempt_completion', { result }) });
export const run = (command: string) => ({ text: xmlCall('execute_command', { command }) });

export const DIFF =
  '<<<<<<< SEARCH\nexport const sum = (a, b) => a - b;\n=======\nexport const sum = (a, b) => a + b;\n>>>>>>> REPLACE';

/** A throw-away project and data folder, a scripted model, and clients of the real program. */
export class AcpBench {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-acp-')));
  readonly cwd = join(this.folder, 'project');
  readonly home = join(this.folder, 'home');
  readonly file = join(this.cwd, 'sum.js');
  readonly #clients: AcpClient[] = [];
  #model: ScriptedModel | undefined;

  constructor() {
    mkdirSync(this.cwd);
    writeFileSync(this.file, BUG);
  }

  get model(): ScriptedModel {
    assert.ok(this.#model, 'no model was started');
    return this.#model;
  }

  /** Another client of a program of its own, over the same data folder. The model goes on with its script. */
  async start(turns: Turn[], options: Partial<AcpClientOptions> = {}): Promise<AcpClient> {
    if (this.#model) this.#model.turns.push(...turns);
    else this.#model = await ScriptedModel.start(turns);
    const { client } = await AcpClient.start({
      ...options,
      environment: this.environment(options.environment),
    });
    this.#clients.push(client);
    return client;
  }

  /** What the model answers next. */
  async script(turns: Turn[]): Promise<void> {
    if (this.#model) this.#model.turns.push(...turns);
    else this.#model = await ScriptedModel.start(turns);
  }

  /** A client that has said nothing yet. */
  async connect(options: Partial<AcpClientOptions> = {}): Promise<AcpClient> {
    await this.script([]);
    const client = AcpClient.connect({ ...options, environment: this.environment(options.environment) });
    this.#clients.push(client);
    return client;
  }

  environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return {
      LATHE_PROVIDER: 'openai-compatible',
      LATHE_BASE_URL: this.model.url,
      LATHE_API_KEY: 'test-key',
      LATHE_MODEL: 'scripted-vision',
      LATHE_TOOL_PROTOCOL: 'xml',
      LATHE_HOME: this.home,
      ...more,
    };
  }

  /** Ends everything; every frame of every client must have been as the schema says. */
  async stop(): Promise<void> {
    try {
      for (const client of this.#clients) await client.stop();
      for (const { check } of this.#clients) {
        assert.deepEqual(check.problems, []);
        assert.ok(check.checked > 0);
      }
    } finally {
      await this.#model?.stop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

export const EDIT = { text: `I mend it.\n\n${xmlCall('apply_diff', { path: 'sum.js', diff: DIFF })}` };
