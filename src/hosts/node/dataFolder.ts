import { mkdir, mkdtemp, access, constants } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the person's tasks and settings are: LATHE_HOME, else the platform's data directory. */
export function defaultDataFolder(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment.LATHE_HOME) return environment.LATHE_HOME;
  const home = environment.HOME ?? environment.USERPROFILE ?? homedirOrNone();
  if (process.platform === 'win32') {
    const base = environment.APPDATA ?? (home && join(home, 'AppData', 'Roaming'));
    return base ? join(base, 'lathe') : undefined;
  }
  if (process.platform === 'darwin')
    return home ? join(home, 'Library', 'Application Support', 'lathe') : undefined;
  const base = environment.XDG_DATA_HOME ?? (home && join(home, '.local', 'share'));
  return base ? join(base, 'lathe') : undefined;
}

/**
 * The data folder, made if need be. Where the machine has none, a temporary one, and `temporary` says so.
 * @throws when a folder was named but cannot be written: tasks must not go astray in silence.
 */
export async function openDataFolder(
  environment: NodeJS.ProcessEnv,
): Promise<{ folder: string; temporary: boolean }> {
  const folder = defaultDataFolder(environment);
  if (folder === undefined) return { folder: await mkdtemp(join(tmpdir(), 'lathe-')), temporary: true };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  return { folder, temporary: false };
}

function homedirOrNone(): string | undefined {
  try {
    return homedir();
  } catch (error) {
    // No HOME and no passwd entry, as in a bare container: the caller uses a temporary folder and says so.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
