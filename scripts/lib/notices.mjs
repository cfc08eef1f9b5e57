// The licences of the packages whose code is in a bundle, or beside it: most of them ask that their notice travels with it.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of the notices file. Throws when a bundled package names no licence.
 * @param {string} root the repository
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @param {readonly string[]} copied folders of packages, relative to the root, of which files are copied as they are
 */
export function notices(root, metafiles, copied) {
  const folders = new Set(copied);
  for (const { inputs, outputs } of metafiles) {
    // What tree shaking left out is not in the product.
    const used = new Set(
      Object.values(outputs).flatMap((output) =>
        Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
          bytesInOutput > 0 ? [path] : [],
        ),
      ),
    );
    for (const path of Object.keys(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder && used.has(path)) folders.add(folder);
    }
  }
  const sections = [...folders].sort().map((folder) => notice(join(root, folder)));
  return `Lathe contains code of these packages.\n\n${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** @param {string} folder */
function notice(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!manifest.license) throw new Error(`${folder} names no licence`);
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  const texts = files.map((name) => join(folder, name)).map((path) => readFileSync(path, 'utf8').trim());
  return [`${manifest.name} ${manifest.version} (${manifest.license})`, ...texts].join('\n\n');
}
