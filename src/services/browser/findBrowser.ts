import { access, constants } from 'node:fs/promises';
import { posix, win32 } from 'node:path';

export interface Machine {
  platform: NodeJS.Platform;
  environment: NodeJS.ProcessEnv;
}

/** Programs by these names speak the protocol that drives them; those that people browse with first. */
const NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
  'google-chrome-beta',
  'microsoft-edge-beta',
];
const LINUX_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/var/lib/flatpak/exports/bin'];
const LINUX_FILES = [
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
];
const MAC_PROGRAMS = [
  'Google Chrome',
  'Chromium',
  'Microsoft Edge',
  'Google Chrome Beta',
  'Microsoft Edge Beta',
];
const WINDOWS_FILES = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['Google', 'Chrome Beta', 'Application', 'chrome.exe'],
];

/** Where a browser would be on such a machine, best first. All absolute. */
export function browserPlaces({ platform, environment }: Machine): string[] {
  switch (platform) {
    case 'darwin':
      return [
        '/Applications',
        ...(environment.HOME ? [posix.join(environment.HOME, 'Applications')] : []),
      ].flatMap((folder) =>
        MAC_PROGRAMS.map((name) => posix.join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
      );
    case 'win32': {
      const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
        const value = variable(environment, name);
        return value !== undefined && win32.isAbsolute(value) ? [value] : [];
      });
      return WINDOWS_FILES.flatMap((parts) => roots.map((root) => win32.join(root, ...parts)));
    }
    default: {
      // Relative entries of PATH would let the folder that is open name the program.
      const onPath = (environment.PATH ?? '')
        .split(posix.delimiter)
        .filter((folder) => posix.isAbsolute(folder));
      const folders = [...new Set([...LINUX_FOLDERS, ...onPath])];
      return [...NAMES.flatMap((name) => folders.map((folder) => posix.join(folder, name))), ...LINUX_FILES];
    }
  }
}

/** The first Chrome, Chromium or Edge that can be started here. */
export async function findBrowser(machine: Machine): Promise<string | undefined> {
  const places = browserPlaces(machine);
  const usable = await Promise.all(places.map(isExecutable));
  return places.find((_, index) => usable[index]);
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Windows does not tell the cases of names apart; a copy of its environment does. */
function variable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
}
