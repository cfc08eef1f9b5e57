// Builds dist/: extension.js (VS Code), main.js (headless, without `vscode`), webview/.
// Flags: --production (minified, no source maps), --watch, --metafile (writes dist/meta-*.json).
import { build, context } from 'esbuild';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';

const flag = (name) => process.argv.includes(name);
const production = flag('--production');

const common = {
  bundle: true,
  format: 'esm',
  splitting: true,
  target: 'es2023',
  sourcemap: production ? false : 'linked',
  minify: production,
  metafile: true,
  logLevel: flag('--watch') ? 'info' : 'warning',
  outdir: 'dist',
};
const node = {
  ...common,
  platform: 'node',
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};
const bundles = {
  extension: {
    ...node,
    entryPoints: ['src/extension.ts'],
    external: ['vscode'],
    chunkNames: 'extension/[name]-[hash]',
  },
  // No external `vscode` here: a stray import of it in the core cannot be built.
  main: {
    ...node,
    entryPoints: ['src/main.ts'],
    chunkNames: 'main/[name]-[hash]',
    banner: { js: `#!/usr/bin/env node\n${node.banner.js}` },
  },
  webview: {
    ...common,
    platform: 'browser',
    entryPoints: { index: 'webview-ui/src/index.tsx' },
    outdir: 'dist/webview',
    chunkNames: '[name]-[hash]',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
  },
};
// The shebang must stay first: only the entry gets it, chunks get the plain banner.
bundles.main.banner = node.banner;

await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
for (const [name, options] of Object.entries(bundles)) {
  if (flag('--watch')) {
    const watcher = await context(options);
    await watcher.watch();
  } else {
    const result = await build(options);
    if (flag('--metafile')) await writeFile(`dist/meta-${name}.json`, JSON.stringify(result.metafile));
  }
}
await cp('assets', 'dist/assets', { recursive: true, force: true });
