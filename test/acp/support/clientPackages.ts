import { join } from 'node:path';

/** The packaged program. */
export const MAIN = join(import.meta.dirname, '..', '..', '..', 'dist', 'main.js');

/** A file of a published client: `npm test` installs them into the cache and says where. @throws Error without them */
export function clientPackage(...path: readonly string[]): string {
  const { LATHE_TEST_ACP_CLIENTS: folder } = process.env;
  if (folder === undefined) throw new Error('These tests run by `npm test -- --only=package,acp`.');
  return join(folder, ...path);
}
