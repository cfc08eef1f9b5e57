import type * as vscode from 'vscode';
import type { Logger } from '../../core/Logger.ts';

/** The output channel as the core's log. */
export function outputLogger(log: vscode.LogOutputChannel): Logger {
  return {
    info: (text) => log.info(text),
    warn: (text) => log.warn(text),
    error: (text, error) => {
      if (error === undefined) log.error(text);
      else log.error(text, error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error));
    },
  };
}
