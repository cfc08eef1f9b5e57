import { arch, platform, release } from 'node:os';
import * as vscode from 'vscode';
import * as z from 'zod';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { message } from '../../shared/strings.ts';
import type { EditorHandlers } from '../page/PageConnection.ts';

export interface AboutOptions {
  context: vscode.ExtensionContext;
  /** The folder of tasks and settings, absolute. */
  home: () => Promise<string>;
}

export type AboutRequests = Pick<EditorHandlers, 'editor/about' | 'editor/show'>;
type Shown = Parameters<EditorHandlers['editor/show']>[0]['what'];

/** Texts that come with the program, by how their files are called without ending. */
const texts = {
  readme: 'readme',
  changelog: 'changelog',
  license: 'license',
  notices: 'dist/thirdpartynotices',
} as const satisfies Partial<Record<Shown, string>>;

/** What the manifest says of the program. */
const manifestSchema = z.object({
  version: z.string(),
  license: z.string().default(''),
  repository: z.object({ url: z.url() }).optional().catch(undefined),
  bugs: z.object({ url: z.url() }).optional().catch(undefined),
});

/** What the sidebar asks about the program itself. */
export function aboutRequests({ context, home }: AboutOptions): AboutRequests {
  return {
    'editor/about': async () => {
      const { version, license, repository, bugs } = manifestSchema.parse(context.extension.packageJSON);
      return {
        ...{ version, license },
        editor: `${vscode.env.appName} ${vscode.version}`,
        platform: `${platform()} ${release()} ${arch()}`,
        data: await home(),
        links: {
          ...(repository ? { source: repository.url } : {}),
          ...(bugs ? { issues: bugs.url } : {}),
        },
      };
    },
    'editor/show': async ({ what }) => {
      await show(what, context.extensionUri, home);
      return {};
    },
  };
}

async function show(what: Shown, extension: vscode.Uri, home: () => Promise<string>): Promise<void> {
  switch (what) {
    case 'log':
      await vscode.commands.executeCommand('lathe.showLog');
      return;
    case 'walkthrough':
      await vscode.commands.executeCommand('lathe.walkthrough');
      return;
    case 'data': {
      const folder = vscode.Uri.file(await home());
      // An editor in a browser, or with its files on another machine, has no file manager to show them in.
      const elsewhere = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
      if (elsewhere)
        await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
      else await vscode.commands.executeCommand('revealFileInOS', folder);
      return;
    }
    case 'readme':
    case 'changelog':
    case 'license':
    case 'notices': {
      const file = await textFile(extension, texts[what]);
      if (file === undefined)
        throw new ProtocolError('not_found', message('vscode.cannotOpen', { path: texts[what] }));
      const isMarkdown = file.path.toLowerCase().endsWith('.md');
      await vscode.commands.executeCommand(isMarkdown ? 'markdown.showPreview' : 'vscode.open', file);
    }
  }
}

/** The file of that name, in any case and with any ending: packing the extension changes both. */
async function textFile(extension: vscode.Uri, name: string): Promise<vscode.Uri | undefined> {
  const [folder, wanted] = name.includes('/') ? ['dist', name.slice('dist/'.length)] : ['', name];
  const place = vscode.Uri.joinPath(extension, folder);
  const entries = await vscode.workspace.fs.readDirectory(place);
  const found = entries.find(([entry]) => entry.toLowerCase().replace(/\.[a-z]+$/, '') === wanted);
  return found && vscode.Uri.joinPath(place, found[0]);
}
