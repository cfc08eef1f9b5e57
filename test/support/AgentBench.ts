import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScriptedModel, xmlCall, type Reply, type Turn } from './ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from './TestAgent.ts';

export type Protocol = 'xml' | 'native';

/** A reply that says something and calls a tool, in either protocol. */
export function calling(
  protocol: Protocol,
  text: string,
  name: string,
  params: Record<string, string>,
): Reply {
  return protocol === 'xml'
    ? { text: `${text}\n${xmlCall(name, params)}` }
    : { text, calls: [{ name, arguments: params }] };
}

/** For each test of the `describe` that makes it: a workspace with these files, and when it starts them an agent and its model. */
export class AgentBench {
  #cwd = '';
  #model: ScriptedModel | undefined;
  #agent: TestAgent | undefined;

  constructor(files: Readonly<Record<string, string>> = {}) {
    beforeEach(() => {
      this.#cwd = mkdtempSync(join(tmpdir(), 'lathe-bench-'));
      for (const [name, text] of Object.entries(files)) this.write(name, text);
    });
    afterEach(async () => {
      await this.#agent?.stop();
      await this.#model?.stop();
      this.#agent = this.#model = undefined;
      rmSync(this.#cwd, { recursive: true, force: true });
    });
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** @throws Error before `start` */
  get model(): ScriptedModel {
    if (!this.#model) throw new Error('no model was started');
    return this.#model;
  }

  write(name: string, text: string): void {
    const path = join(this.#cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async start(turns: Turn[], options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    this.#model = await ScriptedModel.start(turns);
    this.#agent = await TestAgent.start({
      cwd: this.#cwd,
      ...options,
      profile: { provider: 'openai-compatible', ...options.profile, baseUrl: this.#model.url },
    });
    return this.#agent;
  }
}
