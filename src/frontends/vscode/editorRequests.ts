import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { JournalEntry } from '../../shared/events.ts';
import type { ToolDetails } from '../../shared/tools.ts';
import { message } from '../../shared/strings.ts';
import type { AboutRequests } from './aboutRequests.ts';
import type { EditorHandlers } from '../page/PageConnection.ts';
import type { WorkspaceRequests } from './workspaceRequests.ts';

export interface EditorRequestOptions {
  agent: () => Promise<Agent>;
  cwd: () => string | undefined;
  openTask: () => string | undefined;
  showTerminal: (callId: string) => Promise<void>;
  showDiff: (path: string, before: string, after: string) => Promise<void>;
  /** Brings the proposal for a file to the front; false when none waits. */
  revealReview: (path: string) => Promise<boolean>;
}

type DiffDetails = Extract<ToolDetails, { type: 'diff' }>;

/** What the sidebar asks of the editor for a person who clicked: files, diffs, terminals, links, settings. */
export function editorRequests(
  options: EditorRequestOptions,
): Omit<
  EditorHandlers,
  | 'editor/ready'
  | 'editor/opened'
  | 'editor/focused'
  | 'editor/keepDrafts'
  | keyof WorkspaceRequests
  | keyof AboutRequests
> {
  return {
    'editor/openFile': async ({ path, line }) => {
      await openFile(absolute(path, await rootOf(options, options.openTask())), path, line);
      return {};
    },
    'editor/openDiff': async ({ taskId, callId }) => {
      await openDiff(options, taskId, callId);
      return {};
    },
    'editor/openCheckpointDiff': async ({ taskId, checkpointId, path }) => {
      const agent = await options.agent();
      const params = { taskId, checkpointId, path };
      const file = await agent.dispatcher.call('checkpoint/file', params);
      if (!file.text) throw new ProtocolError('not_found', message('checkpoint.noText'));
      await options.showDiff(absolute(path, await rootOf(options, taskId)), file.before, file.after);
      return {};
    },
    'editor/showTerminal': async ({ callId }) => {
      await options.showTerminal(callId);
      return {};
    },
    'editor/openExternal': async ({ url }) => {
      if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
        throw new ProtocolError('invalid_params', message('vscode.onlyWeb'));
      await vscode.env.openExternal(vscode.Uri.parse(url));
      return {};
    },
    'editor/openSettings': async ({ query }) => {
      await vscode.commands.executeCommand('workbench.action.openSettings', query ?? '@ext:lathe.lathe');
      return {};
    },
  };
}

/** The folder that a task's paths are relative to; the open folder's where the task is not known. */
export async function rootOf(
  { agent, cwd }: Pick<EditorRequestOptions, 'agent' | 'cwd'>,
  taskId: string | undefined,
): Promise<string | undefined> {
  if (taskId === undefined) return cwd();
  const tasks = await (await agent()).dispatcher.call('task/list', {});
  return tasks.find(({ id }) => id === taskId)?.cwd ?? cwd();
}

function absolute(path: string, root: string | undefined): string {
  if (isAbsolute(path)) return path;
  if (root === undefined) throw new ProtocolError('unavailable', message('error.noWorkspace'));
  return join(root, path);
}

async function openFile(file: string, shown: string, line: number | undefined): Promise<void> {
  const uri = vscode.Uri.file(file);
  try {
    if ((await stat(file)).isDirectory()) {
      await vscode.commands.executeCommand('revealInExplorer', uri);
      return;
    }
    const position = new vscode.Position((line ?? 1) - 1, 0);
    await vscode.commands.executeCommand('vscode.open', uri, {
      preview: true,
      ...(line === undefined ? {} : { selection: new vscode.Range(position, position) }),
    });
  } catch (error) {
    throw new ProtocolError('not_found', message('vscode.cannotOpen', { path: shown }), { cause: error });
  }
}

/** The change of a call: the proposal under review while it waits, else what landed, rebuilt from its patch; the file where that fails. */
async function openDiff(options: EditorRequestOptions, taskId: string, callId: string): Promise<void> {
  const agent = await options.agent();
  const { entries } = await agent.dispatcher.call('task/subscribe', { taskId });
  const change = changeOf(entries, callId);
  if (!change) throw new ProtocolError('not_found', message('vscode.noDiff'));
  const { details, landed } = change;
  const path = absolute(details.path, await rootOf(options, taskId));
  if (!landed && (await options.revealReview(await realPath(path)))) return;
  const sides = await rebuilt(path, details, landed);
  if (sides) await options.showDiff(path, sides.before, sides.after);
  else await openFile(path, details.path, undefined);
}

function changeOf(
  entries: readonly JournalEntry[],
  callId: string,
): { details: DiffDetails; landed: boolean } | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.type === 'tool_finished' && entry.callId === callId && entry.details?.type === 'diff')
      return { details: entry.details, landed: entry.outcome === 'done' };
    if (entry.type !== 'approval_requested' || entry.request.reason !== 'tool') continue;
    const { request } = entry;
    if (request.callId === callId && request.details?.type === 'diff')
      return { details: request.details, landed: false };
  }
  return undefined;
}

/** Both sides of a change, from the file as it is now and the patch. Undefined where the file has gone on since, or the patch is cut. */
async function rebuilt(
  path: string,
  details: DiffDetails,
  landed: boolean,
): Promise<{ before: string; after: string } | undefined> {
  if (details.cut) return undefined;
  const { applyPatch, parsePatch, reversePatch } = await import('diff');
  const [patch] = parsePatch(`--- a\n+++ b\n${details.patch}\n`);
  if (!patch) return undefined;
  const known = await textOf(path, details, landed);
  if (known === undefined) return undefined;
  const other = applyPatch(known, landed ? reversePatch(patch) : patch);
  if (other === false) return undefined;
  return landed ? { before: other, after: known } : { before: known, after: other };
}

async function textOf(path: string, details: DiffDetails, landed: boolean): Promise<string | undefined> {
  if (!landed && details.created) return '';
  try {
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    // Gone or unreadable: opening it will say so.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // A new file: its folder may be a link all the same, which only costs that its tab is not found.
    if (error instanceof Error) return path;
    throw error;
  }
}
