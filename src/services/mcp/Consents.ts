import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const consentSchema = z.object({
  /** Absolute path of the configuration and the server's name in it. */
  path: z.string(),
  name: z.string(),
  /** What was agreed to, of McpServerConfig; absent for what is the person's own and needs no yes to start. */
  hash: z.string().optional(),
  /** Tools as they were then: name → hash. */
  tools: z.record(z.string(), z.string()),
});
const fileSchema = z.object({ consents: z.array(consentSchema).default([]) });
type Consent = z.infer<typeof consentSchema>;

/**
 * What a person agreed to, in LATHE_HOME where no workspace can write it: what a project's server starts, and what the tools of every
 * server were. A file that cannot be understood grants nothing.
 */
export class Consents {
  readonly #path: string;
  #consents: Consent[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(home: string) {
    this.#path = join(home, 'mcp-consents.json');
  }

  async load(): Promise<void> {
    try {
      const parsed = fileSchema.safeParse(JSON.parse(await readFile(this.#path, 'utf8')));
      this.#consents = parsed.success ? parsed.data.consents : [];
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isAbsent && !(error instanceof SyntaxError)) throw error;
      this.#consents = [];
    }
  }

  allows(path: string, name: string, hash: string): boolean {
    return this.#find(path, name)?.hash === hash;
  }

  /** The tools that the person has seen; undefined when there were none yet. */
  tools(path: string, name: string): Readonly<Record<string, string>> | undefined {
    const consent = this.#find(path, name);
    return consent && Object.keys(consent.tools).length > 0 ? consent.tools : undefined;
  }

  async allow(path: string, name: string, hash: string): Promise<void> {
    const { tools = {}, hash: before } = this.#find(path, name) ?? {};
    await this.#put({ path, name, hash, tools: before === hash ? tools : {} });
  }

  async keepTools(path: string, name: string, tools: Readonly<Record<string, string>>): Promise<void> {
    const hash = this.#find(path, name)?.hash;
    await this.#put({ path, name, ...(hash === undefined ? {} : { hash }), tools: { ...tools } });
  }

  async revoke(path: string, name: string): Promise<void> {
    this.#consents = this.#consents.filter((one) => one.path !== path || one.name !== name);
    await this.#write();
  }

  #find(path: string, name: string): Consent | undefined {
    return this.#consents.find((one) => one.path === path && one.name === name);
  }

  async #put(consent: Consent): Promise<void> {
    const others = this.#consents.filter(({ path, name }) => path !== consent.path || name !== consent.name);
    this.#consents = [...others, consent];
    await this.#write();
  }

  /** One after the other, each as a whole. */
  async #write(): Promise<void> {
    const write = async (): Promise<void> => {
      const folder = join(this.#path, '..');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = `${this.#path}.${randomBytes(6).toString('hex')}.tmp`;
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify({ consents: this.#consents }, undefined, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#path);
    };
    const done = this.#last.then(write, write);
    this.#last = done.catch(() => undefined); // the caller of this write hears of it
    await done;
  }
}
