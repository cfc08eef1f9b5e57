import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { DiffReview, EditPreview } from '../../core/host/Host.ts';
import { translate, message, type Locale } from '../../shared/strings.ts';
import { ProposalFileSystem } from './ProposalFileSystem.ts';
import { BEFORE_SCHEME, PROPOSAL_SCHEME } from './staleReviews.ts';
import { shownIn, unsavedDocuments } from './unsavedDocuments.ts';

/** Milliseconds after a key in an editor during which its person counts as typing there. */
const TYPING = 10_000;

/** How often what is unsaved in a review is saved before its tab is closed all the same, and the milliseconds between. */
const SAVES = 20;
const BETWEEN_SAVES = 50;

interface OpenReview {
  path: string;
  left: vscode.Uri;
  right: vscode.Uri;
  title: string;
}

/** Proposals in the editor's own diff view. Opening one never takes the focus from where the person types. */
export class DiffReviews implements vscode.Disposable {
  readonly #proposals = new ProposalFileSystem();
  readonly #before = new Map<string, string>();
  readonly #open = new Set<OpenReview>();
  /** Proposals whose reviews have ended, until the editor has let go of their documents. */
  readonly #ended = new Set<string>();
  /** Changes that still arrive: their read-only right sides. */
  readonly #arriving = new Map<string, OpenReview>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registrations: { dispose(): unknown }[];
  readonly #locale: () => Locale;
  readonly #report: (error: unknown) => void;
  #typedAt = -Infinity;

  constructor(locale: () => Locale, report: (error: unknown) => void) {
    this.#locale = locale;
    this.#report = report;
    this.#registrations = [
      this.#changed,
      vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this.#proposals, {
        isCaseSensitive: true,
      }),
      vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
        provideTextDocumentContent: (uri) => this.#before.get(uri.toString()) ?? '',
        onDidChange: this.#changed.event,
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) this.#typedAt = performance.now();
      }),
      // What only `show` keeps goes with its tab.
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        for (const tab of opened) this.#closeAgain(shownIn(tab));
        for (const { input } of closed) {
          if (!(input instanceof vscode.TabInputTextDiff) || input.modified.scheme !== BEFORE_SCHEME)
            continue;
          for (const uri of [input.original, input.modified]) this.#before.delete(uri.toString());
        }
      }),
      // Until then the editor may still save it.
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.#ended.delete(uri.toString())) this.#proposals.remove(uri);
      }),
    ];
  }

  async open({
    path,
    before,
    after,
  }: {
    path: string;
    before: string | null;
    after: string;
    signal: AbortSignal;
  }): Promise<DiffReview> {
    const id = randomUUID();
    const review: OpenReview = {
      path,
      left: sideOf(BEFORE_SCHEME, id, path),
      right: sideOf(PROPOSAL_SCHEME, id, path),
      title: translate(this.#locale(), message('vscode.proposalTitle', { name: basename(path) })),
    };
    this.#before.set(review.left.toString(), before ?? '');
    this.#proposals.put(review.right, after);
    // The proposal is UTF-8, whatever encoding the person's files have.
    await vscode.workspace.openTextDocument(review.right, { encoding: 'utf8' });
    await showReview(review, this.#withoutFocus());
    this.#open.add(review);
    await this.#closePreviews(path);
    return {
      text: () => {
        const shown = documentOf(review.right)?.getText();
        const saved = (): string => new TextDecoder().decode(this.#proposals.readFile(review.right));
        return Promise.resolve(asProposed(shown ?? saved(), after));
      },
      close: async () => {
        this.#open.delete(review);
        await closeReview(review.right);
        this.#before.delete(review.left.toString());
        if (documentOf(review.right)) this.#ended.add(review.right.toString());
        else this.#proposals.remove(review.right);
      },
    };
  }

  /** A change that still arrives: beside the file as it is, and read-only, so that nobody's words are lost when more comes. */
  async preview({ path, before }: { path: string; before: string | null }): Promise<EditPreview> {
    const id = randomUUID();
    const review: OpenReview = {
      path,
      left: sideOf(BEFORE_SCHEME, `${id}-before`, path),
      right: sideOf(BEFORE_SCHEME, id, path),
      title: translate(this.#locale(), message('vscode.arrivingTitle', { name: basename(path) })),
    };
    for (const uri of [review.left, review.right]) this.#before.set(uri.toString(), before ?? '');
    this.#arriving.set(id, review);
    await showReview(review, this.#withoutFocus());
    return {
      update: (after) => {
        if (!this.#arriving.has(id)) return;
        this.#before.set(review.right.toString(), after);
        this.#changed.fire(review.right);
      },
      close: async () => await this.#closePreview(id, review),
    };
  }

  async #closePreviews(path: string): Promise<void> {
    for (const [id, review] of [...this.#arriving])
      if (review.path === path) await this.#closePreview(id, review);
  }

  async #closePreview(id: string, review: OpenReview): Promise<void> {
    if (!this.#arriving.delete(id)) return;
    await closeReview(review.right);
    for (const uri of [review.left, review.right]) this.#before.delete(uri.toString());
  }

  /** The editor opens what it holds to be unsaved by itself. */
  #closeAgain(uri: vscode.Uri | undefined): void {
    if (!uri || !this.#ended.has(uri.toString())) return;
    closeReview(uri).catch((error: unknown) => this.#report(error));
  }

  /** An editor that somebody types in is not covered: the keys would go nowhere. */
  #withoutFocus(): vscode.TextDocumentShowOptions {
    const typing = performance.now() - this.#typedAt < TYPING;
    return { preserveFocus: true, ...(typing ? { viewColumn: vscode.ViewColumn.Beside } : {}) };
  }

  /** Brings the review of a file to the front, also when its tab was closed. False when none waits. */
  async reveal(path: string): Promise<boolean> {
    const review = [...this.#open].find((one) => one.path === path);
    if (!review) return false;
    await vscode.workspace.openTextDocument(review.right, { encoding: 'utf8' });
    await showReview(review, { preserveFocus: false });
    return true;
  }

  /** A change that has landed, to look at. */
  async show(path: string, before: string, after: string): Promise<void> {
    const id = randomUUID();
    const uris = [before, after].map((text, side) => {
      const uri = sideOf(BEFORE_SCHEME, `${id}-${side}`, path);
      this.#before.set(uri.toString(), text);
      return uri;
    });
    await vscode.commands.executeCommand('vscode.diff', ...uris, basename(path), { preview: true });
  }

  dispose(): void {
    for (const registration of this.#registrations) registration.dispose();
  }
}

/** The path keeps its name and ending, so that the language is recognised. */
function sideOf(scheme: string, id: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme, authority: id, path: vscode.Uri.file(path).path });
}

async function showReview(
  { left, right, title }: OpenReview,
  options: vscode.TextDocumentShowOptions,
): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false, ...options });
}

/**
 * Closes the review's own tabs. Unsaved changes in them are saved into memory first, so that nobody is asked about them: again where a
 * save was passed over for one that was under way, with less in it.
 */
async function closeReview(right: vscode.Uri): Promise<void> {
  for (let save = 0; save < SAVES; save++) {
    const unsaved = unsavedDocuments().find(({ uri }) => uri.toString() === right.toString());
    if (!unsaved) break;
    if (save > 0) await sleep(BETWEEN_SAVES);
    await unsaved.save();
  }
  const tabs = tabsOf(right);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter((tab) => shownIn(tab)?.toString() === uri.toString());
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
}

/**
 * The editor gives one kind of line break for the whole document, and no byte order mark: what nobody changed must come back
 * as it was.
 */
function asProposed(shown: string, proposed: string): string {
  const plain = (text: string): string => text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return plain(shown) === plain(proposed) ? proposed : shown;
}
