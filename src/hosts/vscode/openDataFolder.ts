import * as vscode from 'vscode';
import { message, translate, type Locale, type Message } from '../../shared/strings.ts';
import { defaultDataFolder, openDataFolder as openOnDisk } from '../node/dataFolder.ts';

let said: string | undefined;

/** The folder of the person's tasks, or in words what is wrong with it and how to mend it. The person is told, once. */
export async function openDataFolder(
  environment: NodeJS.ProcessEnv,
  locale: Locale,
): Promise<{ folder: string } | { problem: Message }> {
  try {
    const { folder, temporary } = await openOnDisk(environment);
    if (temporary)
      void vscode.window.showWarningMessage(translate(locale, message('vscode.temporaryData', { folder })));
    return { folder };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const folder = defaultDataFolder(environment) ?? '';
    const problem = message('vscode.noDataFolder', { folder, reason });
    const words = translate(locale, problem);
    if (words !== said) void vscode.window.showErrorMessage(words);
    said = words;
    return { problem };
  }
}
