import { randomUUID } from 'node:crypto';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import { FileGate } from '../../core/context/FileGate.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { FileHost } from '../../core/host/Host.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

/** Characters of one file's diff and of all diffs that go to the model; of files beyond that, their names. */
const LONGEST_FILE = 8000;
const LONGEST_DIFF = 40_000;
const MOST_FILES = 200;
const EARLIER_MESSAGES = 8;
const LONGEST_DRAFT = 4000;

interface Change {
  readonly uri: vscode.Uri;
}

/** What is used of a repository of VS Code's own git extension, version 1 of its API. */
export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly Change[];
    readonly workingTreeChanges: readonly Change[];
    readonly untrackedChanges?: readonly Change[];
  };
  diffIndexWithHEAD(path: string): Promise<string>;
  diffWithHEAD(path: string): Promise<string>;
  log(options: { maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

interface GitApi {
  readonly repositories: readonly Repository[];
}

export interface CommitMessageOptions {
  agent: () => Promise<Agent>;
  files: () => Promise<FileHost>;
  locale: () => Locale;
}

/** Writes a message for what is staged, else for all changes, into the input of the source-control view. */
export async function writeCommitMessage(options: CommitMessageOptions, given: unknown): Promise<void> {
  const repository = await repositoryOf(given);
  const title = translate(options.locale(), message('vscode.writingCommit'));
  const progress = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(progress, async (_report, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    const begun = repository.inputBox.value;
    const text = await describe(options, repository, stop.signal);
    if (token.isCancellationRequested) return;
    const { dispatcher } = await options.agent();
    const id = randomUUID();
    stop.signal.addEventListener('abort', () => void dispatcher.call('text/cancel', { id }));
    try {
      const written = await dispatcher.call('text/write', { id, purpose: 'commit_message', text });
      // What was begun is in the message; what was typed meanwhile is not, and stays.
      const { value } = repository.inputBox;
      repository.inputBox.value = value === begun ? written.text : `${written.text}\n\n${value}`;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  });
}

async function repositoryOf(given: unknown): Promise<Repository> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  if (!extension) throw new ProtocolError('unavailable', message('vscode.noGit'));
  const { repositories } = (await extension.activate()).getAPI(1);
  const root = rootOf(given) ?? vscode.window.activeTextEditor?.document.uri.fsPath;
  const found =
    root === undefined
      ? undefined
      : repositories
          .filter(({ rootUri: { fsPath } }) => root === fsPath || root.startsWith(`${fsPath}${sep}`))
          .toSorted((a, b) => b.rootUri.fsPath.length - a.rootUri.fsPath.length)[0];
  const repository = found ?? repositories[0];
  if (!repository) throw new ProtocolError('unavailable', message('vscode.noGit'));
  return repository;
}

/** The view gives its source control. */
function rootOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('rootUri' in given)) return undefined;
  return given.rootUri instanceof vscode.Uri ? given.rootUri.fsPath : undefined;
}

/** What the model is told of the changes: nothing that it may not read. */
async function describe(
  options: CommitMessageOptions,
  repository: Repository,
  signal: AbortSignal,
): Promise<string> {
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
  const staged = indexChanges.length > 0;
  const changes = staged ? indexChanges : [...workingTreeChanges, ...untrackedChanges];
  const withheld = await gateOf(options, repository, signal);
  const diffs: string[] = [];
  const names: string[] = [];
  let left = LONGEST_DIFF;
  for (const { uri } of changes.slice(0, MOST_FILES)) {
    if (signal.aborted) return '';
    const verdict = withheld(uri);
    if (verdict === 'hidden') continue;
    const name = relative(repository.rootUri.fsPath, uri.fsPath);
    const diff =
      verdict === 'secret' || left <= 0
        ? ''
        : await (staged ? repository.diffIndexWithHEAD(uri.fsPath) : repository.diffWithHEAD(uri.fsPath));
    const kept = diff.slice(0, Math.min(left, LONGEST_FILE));
    left -= kept.length;
    if (kept === '') names.push(name);
    else
      diffs.push(
        kept.length < diff.length ? `${kept}\n[cut: ${diff.length - kept.length} characters]` : kept,
      );
  }
  if (diffs.length + names.length === 0) throw new ProtocolError('not_found', message('vscode.noChanges'));
  const earlier = await earlierMessages(repository);
  const begun = repository.inputBox.value.trim().slice(0, LONGEST_DRAFT);
  return [
    ...(earlier.length > 0 ? [`Earlier messages:\n${earlier.join('\n')}`] : []),
    ...(begun === '' ? [] : [`The person has begun:\n${begun}`]),
    ...(names.length > 0 ? [`Changed, not shown:\n${names.join('\n')}`] : []),
    ...(diffs.length > 0 ? [`Changes:\n${diffs.join('\n')}`] : []),
  ].join('\n\n');
}

async function gateOf(
  { agent, files }: CommitMessageOptions,
  { rootUri }: Repository,
  signal: AbortSignal,
): Promise<(uri: vscode.Uri) => 'hidden' | 'secret' | 'plain'> {
  const { deny } = await (await agent()).dispatcher.call('approval/policy', {});
  const host = await files();
  const roots = [rootUri, ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri)];
  const gates = roots.map(({ fsPath }) => new FileGate({ root: fsPath, homes: [], files: host }));
  for (const gate of gates) await gate.ignore.refresh(signal);
  return ({ fsPath }) => {
    if (gates.some((gate) => gate.withholds(fsPath, { deny, secrets: true }))) return 'hidden';
    return gates.some((gate) => gate.withholds(fsPath, { deny, secrets: false })) ? 'secret' : 'plain';
  };
}

async function earlierMessages(repository: Repository): Promise<string[]> {
  try {
    const commits = await repository.log({ maxEntries: EARLIER_MESSAGES });
    return commits.map((commit) => `- ${commit.message.split('\n')[0] ?? ''}`);
  } catch (error) {
    // Before its first commit a repository has no log.
    if (error instanceof Error) return [];
    throw error;
  }
}
