import { overviewOf, type GitOverview } from '../../../services/git/overview.ts';
import type { Host } from '../../host/Host.ts';
import { workspaceFiles } from '../workspaceFiles.ts';
import { DefinitionFinder, type FoundDefinition } from './DefinitionFinder.ts';

const MOST_COMMITS = 50;

/** What of a workspace can be mentioned, found without an editor: for a person who writes, and read by no model. */
export class MentionSuggestions {
  readonly #host: Pick<Host, 'files' | 'ripgrep'>;
  readonly #root: string;
  readonly #definitions: DefinitionFinder;
  readonly #signal: AbortSignal;

  /** `root`: the workspace, absolute; `signal`: nobody asks any more. */
  constructor(host: Pick<Host, 'files' | 'ripgrep'>, root: string, signal: AbortSignal) {
    this.#host = host;
    this.#root = root;
    this.#definitions = new DefinitionFinder(host, root);
    this.#signal = signal;
  }

  /** Paths relative to the workspace, with `/`. */
  async files(): Promise<string[]> {
    return await workspaceFiles(this.#host, this.#root, this.#signal);
  }

  /** Definitions by parts of their names, best first. Rejects with the signal's reason. */
  async definitions(query: string, signal: AbortSignal): Promise<FoundDefinition[]> {
    return await this.#definitions.find(query, AbortSignal.any([signal, this.#signal]));
  }

  /** Of the workspace's repository; undefined where there is none. */
  async git(): Promise<GitOverview | undefined> {
    return await overviewOf(this.#root, { mostCommits: MOST_COMMITS, signal: this.#signal });
  }
}
