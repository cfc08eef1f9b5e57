import { join } from 'node:path';
import { statusLogger } from '../frontends/cli/statusLogger.ts';
import { openDataFolder } from '../hosts/node/dataFolder.ts';
import { localeOf } from '../shared/strings.ts';

/** What goes to whoever reads the output. */
export const write = (text: string): void => void process.stdout.write(text);
/** What is said beside the output. */
export const status = (text: string): void => void process.stderr.write(text);

export const logger = statusLogger(status, Boolean(process.env.LATHE_DEBUG));
export const locale = localeOf(process.env.LC_ALL ?? process.env.LANG ?? 'en');

const stop = new AbortController();
/** As a shell reports a process that such a signal ended. */
const INTERRUPTED = 130;
const TERMINATED = 143;
process.on('SIGINT', () => stopOrEnd(INTERRUPTED));
process.on('SIGTERM', () => stopOrEnd(TERMINATED));
// Who read the output has gone (`| head`): there is nobody left to work for.
process.stdout.on('error', () => stop.abort());
/** Fires when the process is to end. */
export const stopped = stop.signal;
/** What Ctrl-C does: the first stops the work and keeps it, the second ends the process at once. */
export const stopNow = (): void => stopOrEnd(INTERRUPTED);

function stopOrEnd(code: number): void {
  if (stop.signal.aborted) process.exit(code);
  stop.abort();
}

/** The absolute path of the folder that keeps what is done; a temporary one is told. */
export async function dataFolder(): Promise<string> {
  const { folder, temporary } = await openDataFolder(process.env);
  if (temporary) status(`There is no data folder here: what is done is kept in ${folder}\n`);
  return folder;
}

/** Where the settings stand that an editor would have. Beside settings.json, which the sidebar writes: this one only the person does. */
export function settingsFile(home: string): string {
  return join(home, 'headless.json');
}
