import type { Logger } from '../../core/Logger.ts';

/** What goes wrong, as lines beside the output; with `debug` where it happened too. */
export function statusLogger(status: (text: string) => void, debug: boolean): Logger {
  return {
    info: () => undefined,
    warn: (text) => status(`${text}\n`),
    error: (text, error) =>
      status(`${text}${error instanceof Error && debug ? `\n${error.stack ?? ''}` : ''}\n`),
  };
}
