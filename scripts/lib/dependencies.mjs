// The repository's own node_modules, installed when it does not hold what package-lock.json names.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

/**
 * @param {string} root the repository
 * @param {string} [node] the Node that runs npm
 */
export async function dependencies(root, node = process.execPath) {
  if (isComplete(root)) return;
  const folder = join(root, 'node_modules');
  if (existsSync(folder) && lstatSync(folder).isSymbolicLink())
    throw new Error(`${folder} is a link and differs from package-lock.json: install where it points to.`);
  await withProgress('installing the npm packages of package-lock.json', () =>
    npm(node, ['ci', '--ignore-scripts', '--include=dev'], root),
  );
}

/**
 * Compares the lock file with npm's own record of what it installed.
 * @param {string} root
 */
function isComplete(root) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!installed || !wanted) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional, link, peer }]) =>
      path === '' ||
      optional === true ||
      peer === true ||
      link === true ||
      installed[path]?.version === version,
  );
}

/**
 * @typedef {{ version?: string, optional?: boolean, link?: boolean, peer?: boolean }} LockedPackage
 * @param {string} path
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readPackages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}
