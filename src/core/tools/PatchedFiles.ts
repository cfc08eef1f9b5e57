import type { Action } from '../../shared/approvals.ts';
import { applyHunks } from '../diff/applyHunks.ts';
import { SearchReplaceError } from '../diff/parseBlocks.ts';
import type { FilePatch, Hunk } from '../diff/parsePatch.ts';
import { diffDetails } from '../diff/unified.ts';
import type { Preparation } from './BaseTool.ts';
import { prepareDeletion, type Deletion } from './fileDeletion.ts';
import { prepareEdit, readForEdit, type EditedFile, type EditPlan } from './fileEdit.ts';
import { together } from './severalEdits.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

/** What is written, and then what goes. */
export interface PatchPlan {
  edits: EditPlan[];
  deletions: Deletion[];
}

/** A file as it was found, and as the patch has left it so far; `after` null: it is not there. */
interface PatchedFile {
  file: EditedFile;
  deletion?: Deletion;
  after: string | null;
}

/** The files that a patch touches, changed in memory step by step; nothing of it is on disk before it is approved. */
export class PatchedFiles {
  readonly #context: TaskContext;
  /** By real path, in the order of the patch. */
  readonly #files = new Map<string, PatchedFile>();

  constructor(context: TaskContext) {
    this.#context = context;
  }

  /** @throws ToolError when the step does not fit what is there */
  async apply(patch: FilePatch): Promise<void> {
    switch (patch.type) {
      case 'add':
        await this.#add(patch.path, patch.text);
        break;
      case 'delete':
        await this.#delete(patch.path, patch.hunks);
        break;
      case 'update':
        await this.#update(patch.path, patch.moveTo, patch.hunks);
    }
  }

  async #add(path: string, text: string): Promise<void> {
    const target = await this.#file(path);
    if (target.after !== null)
      throw new ToolError(
        `'${target.file.path.shown}' exists already, so it cannot be added. Nothing was changed. Use *** Update File, or write_to_file for the whole of it.`,
      );
    target.after = text;
  }

  async #delete(path: string, hunks: readonly Hunk[]): Promise<void> {
    const known = await this.#known(path);
    if (known) {
      if (known.after === null) throw missing(known);
      known.after = null;
      return;
    }
    const deletion = await prepareDeletion(path, this.#context);
    const { path: resolved, hash = null } = deletion;
    const file = deletion.file ?? { path: resolved, text: '', hash, bom: false };
    const removed = { file, deletion, after: null };
    if (hunks.length > 0 && deletion.file) changed(removed, deletion.file.text, hunks);
    this.#files.set(resolved.real, removed);
  }

  async #update(path: string, moveTo: string | undefined, hunks: readonly Hunk[]): Promise<void> {
    const source = await this.#file(path);
    if (source.after === null) throw missing(source);
    const text = changed(source, source.after, hunks);
    if (moveTo === undefined) {
      source.after = text;
      return;
    }
    const target = await this.#file(moveTo);
    if (target.after !== null)
      throw new ToolError(
        `'${source.file.path.shown}' cannot be moved to '${target.file.path.shown}': that file exists. Nothing was changed. Delete it first, or choose another name.`,
      );
    target.file = { ...target.file, bom: source.file.bom };
    target.after = text;
    source.after = null;
  }

  async #known(path: string): Promise<PatchedFile | undefined> {
    const { real } = await this.#context.resolve(path, 'edit');
    return this.#files.get(real);
  }

  async #file(path: string): Promise<PatchedFile> {
    const known = await this.#known(path);
    if (known?.deletion && !known.deletion.file)
      throw new ToolError(
        `'${known.file.path.shown}' is no text, and a patch cannot write over it. Nothing was changed.`,
      );
    if (known) return known;
    const file = await readForEdit(path, this.#context);
    const found = { file, after: file.text };
    this.#files.set(file.path.real, found);
    return found;
  }

  /** All of it for one approval. @throws ToolError when nothing would change */
  preparation(): Preparation<PatchPlan> {
    const edits: Preparation<EditPlan>[] = [];
    const deletions: Deletion[] = [];
    for (const { file, deletion, after } of this.#files.values()) {
      if (after !== null && after !== file.text) edits.push(prepareEdit(file, after));
      if (after === null && file.text !== null)
        deletions.push(
          deletion ?? { path: file.path, hash: file.hash ?? undefined, file: { ...file, text: file.text } },
        );
    }
    if (edits.length + deletions.length === 0)
      throw new ToolError('The files are already so: the patch would change nothing.');
    const plan = { edits: edits.map((edit) => edit.plan), deletions };
    const [only] = edits;
    if (edits.length === 1 && only && deletions.length === 0) return { ...only, plan };
    const removals = deletions.flatMap(({ path, file }) =>
      file ? [diffDetails(path.shown, file.text, '')] : [],
    );
    return {
      actions: [...edits.flatMap((edit) => edit.actions), ...deletions.map(actionOf)],
      plan,
      details: together([...edits.map(({ details }) => details), ...removals]),
    };
  }
}

export function actionOf({ path }: Pick<Deletion, 'path'>): Action {
  return {
    type: 'delete',
    path: path.real,
    insideWorkspace: path.insideWorkspace,
    protected: path.protected,
  };
}

function changed({ file }: Pick<PatchedFile, 'file'>, text: string, hunks: readonly Hunk[]): string {
  try {
    return applyHunks(text, hunks);
  } catch (error) {
    if (!(error instanceof SearchReplaceError)) throw error;
    throw new ToolError(
      `Nothing was changed: the patch of '${file.path.shown}' does not fit. ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function missing({ file }: PatchedFile): ToolError {
  return new ToolError(
    `There is no file '${file.path.shown}' to change. Nothing was changed. Use *** Add File to create it, or check the path with list_files.`,
  );
}
