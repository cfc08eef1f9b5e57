import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { userSettingsSchema, type UserSettings } from '../shared/settings.ts';
import type { Logger } from './Logger.ts';

/**
 * LATHE_HOME/settings.json (mode 0600): profiles, mode, and what the person made automatic, allowed and denied.
 * Every read sees what other windows wrote; every change is one read, one change, one atomic replace.
 * A file that cannot be understood is set aside, never overwritten.
 */
export class SettingsStore {
  readonly #folder: string;
  readonly #logger: Logger;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  async read(): Promise<UserSettings> {
    const path = join(this.#folder, 'settings.json');
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return userSettingsSchema.parse({});
      throw error;
    }
    const parsed = userSettingsSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const aside = join(this.#folder, `settings.damaged-${Date.now()}.json`);
    await rename(path, aside);
    this.#logger.error(`settings.json could not be read and was set aside as ${aside}`, parsed.error);
    return userSettingsSchema.parse({});
  }

  /** Changes happen one after the other, also when called at the same time. */
  change(edit: (settings: UserSettings) => UserSettings): Promise<UserSettings> {
    const next = this.#last.then(async () => {
      const settings = userSettingsSchema.parse(edit(await this.read()));
      await this.#write(settings);
      return settings;
    });
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #write(settings: UserSettings): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = join(this.#folder, `settings.${randomBytes(6).toString('hex')}.tmp`);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(settings, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(this.#folder, 'settings.json'));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
