import type { BlockDelta } from '../../shared/tools.ts';
import { FileError, type EditorHost, type EditPreview, type FileHost } from '../host/Host.ts';
import type { Logger } from '../Logger.ts';
import type { ArrivingEdit, BaseTool } from '../tools/BaseTool.ts';
import type { ResolvedPath } from '../tools/TaskContext.ts';
import { decodeForEditing } from '../tools/textFile.ts';
import { ToolError } from '../tools/ToolError.ts';

/** Milliseconds between two updates: reading them faster is not possible, and each costs the editor a diff. */
const PACE = 150;
/** Characters of a call, and bytes of a file, past which nothing is shown of it before it is whole. */
const LONGEST = 300_000;

export interface EditPreviewsOptions {
  editor: EditorHost;
  files: FileHost;
  logger: Logger;
  toolByName: (name: string) => BaseTool | undefined;
  /** The gate, for edits. */
  resolve: (path: string, signal: AbortSignal) => Promise<ResolvedPath>;
}

/** One call that arrives. */
interface Arriving {
  edit: ArrivingEdit;
  /** The line break behind a parameter's tag is the tag's. */
  tags: boolean;
  params: Map<string, string[]>;
  characters: number;
  /** Undefined until the path is whole. */
  opening?: Promise<{ preview: EditPreview; before: string | null } | undefined>;
  timer?: NodeJS.Timeout;
}

/**
 * Shows edits while their calls stream, in the editor's diff view. Help for who watches, and nothing else: what cannot be shown is not,
 * and nothing of it reaches the disk.
 */
export class EditPreviews {
  readonly #options: EditPreviewsOptions;
  readonly #calls = new Map<number, Arriving>();

  constructor(options: EditPreviewsOptions) {
    this.#options = options;
  }

  take(delta: BlockDelta, signal: AbortSignal): void {
    if (delta.type === 'tool_started') {
      const edit = this.#options.toolByName(delta.name)?.arriving;
      if (edit)
        this.#calls.set(delta.block, {
          edit,
          tags: delta.origin === 'xml',
          params: new Map(),
          characters: 0,
        });
      return;
    }
    const call = this.#calls.get(delta.block);
    if (!call || delta.type !== 'param' || signal.aborted) return;
    const pieces = call.params.get(delta.name);
    if (pieces) pieces.push(delta.text);
    else call.params.set(delta.name, [delta.text]);
    call.characters += delta.text.length;
    // The path is whole when something else has begun to arrive.
    const path = call.params.get(call.edit.path);
    if (path === undefined || delta.name === call.edit.path) return;
    call.opening ??= this.#open(path.join('').trim(), signal);
    call.timer ??= setTimeout(() => void this.#update(call), PACE);
  }

  /** Closes what is still shown: the message's calls have been answered, or the turn is over. */
  async clear(): Promise<void> {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) {
      clearTimeout(call.timer);
      try {
        await (await call.opening)?.preview.close();
      } catch (error) {
        this.#options.logger.warn(`a preview could not be closed: ${String(error)}`);
      }
    }
  }

  async #update(call: Arriving): Promise<void> {
    const opened = await call.opening;
    delete call.timer;
    if (!opened || call.characters > LONGEST || ![...this.#calls.values()].includes(call)) return;
    const params = Object.fromEntries(
      [...call.params].map(([name, pieces]) => {
        const text = pieces.join('');
        return [name, call.tags ? text.replace(/^\r?\n/, '') : text];
      }),
    );
    const after = call.edit.after(params, opened.before);
    if (after !== undefined) opened.preview.update(after);
  }

  /** Never rejects: a file that cannot be shown is dealt with when the call itself runs. */
  async #open(
    path: string,
    signal: AbortSignal,
  ): Promise<{ preview: EditPreview; before: string | null } | undefined> {
    const { editor, resolve, logger } = this.#options;
    try {
      const file = await resolve(path, signal);
      // What always asks is not opened before anybody was asked.
      if (file.protected || !file.insideWorkspace || signal.aborted || !editor.preview) return undefined;
      const before = await this.#read(file, signal);
      return { preview: await editor.preview({ path: file.real, before }), before };
    } catch (error) {
      if (!(error instanceof ToolError) && !(error instanceof FileError))
        logger.warn(`an edit could not be shown while it came: ${String(error)}`);
      return undefined;
    }
  }

  async #read({ real, shown }: ResolvedPath, signal: AbortSignal): Promise<string | null> {
    const { files } = this.#options;
    if (!(await files.status(real))) return null;
    const { bytes, unsaved } = await files.read(real, { limit: LONGEST, signal });
    if (unsaved) throw new FileError('unsaved', real);
    return decodeForEditing(bytes, shown).text;
  }
}
