import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built page of the web chat is: beside the bundle; from source, in dist/. Undefined where it is not built. */
export function pageFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [
    join(here, 'webview'),
    join(here, '..', 'webview'),
    join(here, '..', '..', 'dist', 'webview'),
  ];
  return places.find((folder) => existsSync(join(folder, 'index.js')));
}
