// Debian packages: installed where we may, named with the exact command where we may not.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';
import { withProgress } from './progress.mjs';

/** A program whose presence is enough, however it was installed. */
const PROGRAMS = /** @type {Record<string, readonly string[] | undefined>} */ ({
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  bubblewrap: ['bwrap'],
  python3: ['python3'],
  make: ['make'],
  'g++': ['g++', 'clang++'],
});
const FILES = /** @type {Record<string, readonly string[] | undefined>} */ ({
  'fonts-noto-cjk': [
    '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
    '/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc',
  ],
  'libkrb5-dev': ['/usr/include/gssapi/gssapi.h', '/usr/include/gssapi.h'],
});

/**
 * Makes sure that the packages, or other installs of the same programs, are there.
 * Throws with the command to run when something is missing and can't be installed from here.
 * @param {readonly string[]} packages
 */
export async function debianPackages(packages) {
  const missing = packages.filter((name) => !isPresent(name));
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const isRoot = process.getuid?.() === 0;
  if (!findProgram(['apt-get']))
    throw new Error(`Missing: ${missing.join(', ')} (names of Debian packages). Install them and try again.`);
  if (!isRoot)
    throw new Error(
      `Missing: ${missing.join(', ')}. Run this, then try again:\n  sudo apt-get update && sudo ${install}`,
    );
  await withProgress(`installing ${missing.join(', ')}`, async (stage) => {
    stage('updating the package lists');
    await aptGet(['update', '-q']);
    await aptGet(install.split(' ').slice(1), (line) => {
      const step = /^(Get:\d+|Unpacking|Setting up)\b/.exec(line)?.[1];
      if (step)
        stage(step.startsWith('Get') ? 'downloading' : step === 'Unpacking' ? 'unpacking' : 'setting up');
    });
  });
  const still = packages.filter((name) => !isPresent(name));
  if (still.length > 0) throw new Error(`apt-get finished, but ${still.join(', ')} can't be found.`);
}

/** The path of a Chromium or Chrome, or undefined. */
export function findChromium() {
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return findProgram(PROGRAMS.chromium ?? []) ?? (existsSync(mac) ? mac : undefined);
}

/** The folder of PostgreSQL's own programs, the newest where there are several; Debian keeps them off PATH. */
export function findPostgres() {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return undefined;
  const folders = readdirSync(versions)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * The first of these programs found on PATH.
 * @param {readonly string[]} names
 */
export function findProgram(names) {
  const folders = (process.env.PATH ?? process.env.Path ?? '').split(delimiter);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const name of names)
    for (const folder of folders)
      for (const ending of endings)
        if (folder && existsSync(join(folder, name + ending))) return join(folder, name + ending);
  return undefined;
}

/** @param {string} name */
function isPresent(name) {
  const programs = PROGRAMS[name];
  if (programs) return findProgram(programs) !== undefined;
  if (name === 'postgresql') return findPostgres() !== undefined;
  return (FILES[name] ?? []).some((path) => existsSync(path));
}

/**
 * @param {readonly string[]} args
 * @param {(line: string) => void} [onLine]
 */
async function aptGet(args, onLine) {
  /** @type {string[]} */
  const output = [];
  const { code } = await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    onLine: (line) => {
      output.push(line);
      onLine?.(line);
    },
  });
  if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${output.slice(-20).join('\n')}`);
}
