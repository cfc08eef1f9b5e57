import * as vscode from 'vscode';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

export interface CommandVoice {
  locale: () => Locale;
  logger: Logger;
}

/** Registers a command. What goes wrong in it is said in words. */
export function registerCommand(
  { locale, logger }: CommandVoice,
  name: string,
  run: (...given: unknown[]) => Promise<void>,
): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (...given: unknown[]) => {
    try {
      await run(...given);
    } catch (error) {
      const known = error instanceof ProtocolError;
      if (!known) logger.error(`command ${name} failed`, error);
      const reason = error instanceof Error ? error.message : String(error);
      const words = known ? error.words : message('error.internal', { reason });
      void vscode.window.showErrorMessage(translate(locale(), words));
    }
  });
}
