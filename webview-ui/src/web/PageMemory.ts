import { keptDraftsSchema } from '../../../src/shared/editor.ts';

/**
 * What a tab remembers of a workspace: in its own storage, which a reload keeps, and a copy of what was being written in the
 * browser's, where a tab that is opened anew begins.
 */
export class PageMemory {
  readonly #state: string;
  readonly #task: string;

  /** `workspace`: the folder that is served, absolute. Another server may be at the same address tomorrow. */
  constructor(workspace: string) {
    this.#state = `lathe.state ${workspace}`;
    this.#task = `lathe.task ${workspace}`;
  }

  get state(): unknown {
    const text = sessionStorage.getItem(this.#state) ?? localStorage.getItem(this.#state);
    return text === null ? undefined : parsed(text);
  }

  set state(state: unknown) {
    const texts = [JSON.stringify(state), withoutBeside(state)];
    for (const storage of [sessionStorage, localStorage])
      if (!texts.some((text) => text !== undefined && stored(storage, this.#state, text)))
        // What does not fit must not come back as something older.
        storage.removeItem(this.#state);
  }

  /** The task that is open in this tab. */
  get task(): string | undefined {
    return sessionStorage.getItem(this.#task) ?? undefined;
  }

  set task(taskId: string | undefined) {
    if (taskId === undefined) sessionStorage.removeItem(this.#task);
    else stored(sessionStorage, this.#task, taskId);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The texts alone: pictures and files are what makes it too large. */
function withoutBeside(state: unknown): string | undefined {
  const kept = keptDraftsSchema.safeParse(state);
  return kept.success ? JSON.stringify({ ...kept.data, beside: {}, changes: {} }) : undefined;
}

/** @returns whether there was room */
function stored(storage: Storage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
