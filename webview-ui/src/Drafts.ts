import type { Attachment, Image } from '../../src/shared/events.ts';
import { withEntry, type Memory } from './Memory.ts';
import type { Draft, Editing } from './state.ts';

/** Drafts that are kept at most; the oldest goes first. */
const MAXIMUM = 50;
const NEW_TASK = 'new';
/** Characters of the pictures and files of one draft that outlive the page. */
const LARGEST_BESIDE = 200_000;

type Beside = Pick<Draft, 'images' | 'attachments'>;

/** The text being written in each task, what an edit of an earlier message set aside, and the mode of the next task. */
export class Drafts {
  readonly #memory: Memory;
  /** What stands beside the text; what of it is too large for the editor's state lasts as long as the page. */
  readonly #beside = new Map<string, Beside>();
  readonly #besideBefore = new Map<string, Beside>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get mode(): string | undefined {
    return this.#memory.kept.mode;
  }

  keepMode(mode: string): void {
    this.#memory.keep({ mode });
  }

  of(taskId: string | undefined): Draft {
    const key = taskId ?? NEW_TASK;
    const { drafts, beside } = this.#memory.kept;
    const kept = this.#beside.get(key) ?? beside?.[key] ?? { images: [], attachments: [] };
    return { text: drafts[key] ?? '', ...kept };
  }

  save(taskId: string | undefined, { text, images, attachments }: Draft): void {
    const key = taskId ?? NEW_TASK;
    const { drafts } = this.#memory.kept;
    const before = this.of(taskId);
    this.#beside.set(key, { images, attachments });
    if (text !== before.text)
      this.#memory.keep({ drafts: withEntry(drafts, key, text === '' ? undefined : text, MAXIMUM) });
    if (images !== before.images || attachments !== before.attachments)
      this.#memory.keep({
        beside: withEntry(this.#memory.kept.beside ?? {}, key, small({ images, attachments }), MAXIMUM),
      });
  }

  /** The earlier message that is being written anew in this task. */
  editing(taskId: string | undefined): Editing | undefined {
    const kept = taskId === undefined ? undefined : this.#memory.kept.editing?.[taskId];
    if (taskId === undefined || kept === undefined) return undefined;
    const beside = this.#besideBefore.get(taskId) ?? { images: [], attachments: [] };
    return { seq: kept.seq, before: { text: kept.before, ...beside } };
  }

  saveEditing(taskId: string, editing: Editing | undefined): void {
    if (editing) this.#besideBefore.set(taskId, besideOf(editing.before));
    else this.#besideBefore.delete(taskId);
    const kept = editing && { seq: editing.seq, before: editing.before.text };
    this.#memory.keep({ editing: withEntry(this.#memory.kept.editing ?? {}, taskId, kept, MAXIMUM) });
  }
}

function besideOf({ images, attachments }: Draft): Beside {
  return { images, attachments };
}

/** What is small enough to be kept; undefined where nothing is. */
function small({ images, attachments }: Beside): { images: Image[]; attachments: Attachment[] } | undefined {
  let left = LARGEST_BESIDE;
  const keptFiles = attachments.filter(({ text }) => (left -= text.length) >= 0);
  const keptImages = images.filter(({ data }) => (left -= data.length) >= 0);
  return keptFiles.length + keptImages.length === 0
    ? undefined
    : { images: keptImages, attachments: keptFiles };
}
