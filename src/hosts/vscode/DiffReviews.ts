import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { DiffReview } from '../../core/host/Host.ts';
import { translate, message, type Locale } from '../../shared/strings.ts';
import { PROPOSAL_SCHEME, ProposalFileSystem } from './ProposalFileSystem.ts';

/** Scheme of what stood before an edit: the left side, read-only. */
export const BEFORE_SCHEME = 'lathe-before';

/** Proposals in the editor's own diff view. Opening one never takes the focus from where the person types. */
export class DiffReviews implements vscode.Disposable {
  readonly #proposals = new ProposalFileSystem();
  readonly #before = new Map<string, string>();
  readonly #registrations: vscode.Disposable[];
  readonly #locale: () => Locale;

  constructor(locale: () => Locale) {
    this.#locale = locale;
    this.#registrations = [
      vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this.#proposals, {
        isCaseSensitive: true,
      }),
      vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
        provideTextDocumentContent: (uri) => this.#before.get(uri.toString()) ?? '',
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
    // The path keeps its name and ending, so that the language is recognised.
    const left = vscode.Uri.from({ scheme: BEFORE_SCHEME, authority: id, path: vscode.Uri.file(path).path });
    const right = vscode.Uri.from({
      scheme: PROPOSAL_SCHEME,
      authority: id,
      path: vscode.Uri.file(path).path,
    });
    this.#before.set(left.toString(), before ?? '');
    this.#proposals.put(right, after);
    const title = translate(this.#locale(), message('vscode.proposalTitle', { name: basename(path) }));
    await vscode.commands.executeCommand('vscode.diff', left, right, title, {
      preview: false,
      preserveFocus: true,
    });
    return {
      text: async () => {
        const document = vscode.workspace.textDocuments.find(
          (one) => one.uri.toString() === right.toString(),
        );
        return document
          ? withLineEnds(document.getText(), after)
          : new TextDecoder().decode(await vscode.workspace.fs.readFile(right));
      },
      close: async () => {
        await this.#close(right);
        this.#before.delete(left.toString());
        this.#proposals.remove(right);
      },
    };
  }

  /** A change that has landed, to look at. */
  async show(path: string, before: string, after: string): Promise<void> {
    const id = randomUUID();
    const uris = [before, after].map((text, side) => {
      const uri = vscode.Uri.from({
        scheme: BEFORE_SCHEME,
        authority: `${id}-${side}`,
        path: vscode.Uri.file(path).path,
      });
      this.#before.set(uri.toString(), text);
      return uri;
    });
    await vscode.commands.executeCommand('vscode.diff', ...uris, basename(path), { preview: true });
  }

  dispose(): void {
    for (const registration of this.#registrations) registration.dispose();
  }

  /** Closes the review's own tab. Unsaved edits in it are saved into memory first, so that nobody is asked about them. */
  async #close(right: vscode.Uri): Promise<void> {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === right.toString());
    if (document?.isDirty === true) await document.save();
    const tabs = vscode.window.tabGroups.all
      .flatMap(({ tabs: all }) => all)
      .filter(
        ({ input }) =>
          input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString(),
      );
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}

/** The editor gives one kind of line break for the whole document; a mixed file that nobody changed must come back as it was. */
function withLineEnds(shown: string, proposed: string): string {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  return plain(shown) === plain(proposed) ? proposed : shown;
}
