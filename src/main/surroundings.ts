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
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
// Who read the output has gone (`| head`): there is nobody left to work for.
process.stdout.on('error', () => stop.abort());
/** Fires when the process is to end. */
export const stopped = stop.signal;
/** Ends the process's work, as Ctrl-C does. */
export const stopNow = (): void => stop.abort();

/** The absolute path of the folder that keeps what is done; a temporary one is told. */
export async function dataFolder(): Promise<string> {
  const { folder, temporary } = await openDataFolder(process.env);
  if (temporary) status(`There is no data folder here: what is done is kept in ${folder}\n`);
  return folder;
}
