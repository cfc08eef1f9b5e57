// Builds dist/: extension.js (VS Code), main.js (headless, without `vscode`), threads/ (of both), grammars/, webview/.
// Flags: --production (minified, no source maps, with the notices of the packages), --watch, --metafile (writes dist/meta-*.json).
import { build, context } from 'esbuild';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { copyGrammars } from './scripts/lib/grammars.mjs';
import { notices } from './scripts/lib/notices.mjs';

const flag = (name) => process.argv.includes(name);
const production = flag('--production');

/** Zod's messages in fifty languages would be loaded at every start; ours are for people in `src/shared/strings`. */
const englishZod = {
  name: 'english-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** What speaks to Firefox and what installs browsers is more than all the rest of the driver, and nothing here calls it. */
const driverAlone = {
  name: 'driver-alone',
  setup({ onLoad }) {
    const driver = String.raw`[\\/]puppeteer-core[\\/]lib[\\/]esm[\\/]puppeteer[\\/]`;
    const installer = String.raw`[\\/]@puppeteer[\\/]browsers[\\/]lib[\\/]esm[\\/]`;
    const leaveOut = (file, names) =>
      onLoad({ filter: new RegExp(`${file}\\.js$`) }, () => ({
        contents: [...names.map((name) => `export const ${name} = undefined;`), 'export {};'].join('\n'),
      }));
    leaveOut(String.raw`${driver}bidi[\\/]bidi`, []);
    leaveOut(`${installer}CLI`, ['CLI']);
    leaveOut(`${installer}install`, [
      ...['install', 'uninstall', 'canDownload', 'getDownloadUrl'],
      ...['getInstalledBrowsers', 'makeProgressCallback'],
    ]);
    leaveOut(`${installer}httpUtil`, ['headHttpRequest', 'downloadFile', 'getJSON', 'getText']);
  },
};

const common = {
  bundle: true,
  format: 'esm',
  splitting: true,
  target: 'es2023',
  sourcemap: production ? false : 'linked',
  minify: production,
  metafile: true,
  logLevel: 'warning',
  outdir: 'dist',
  plugins: [englishZod, driverAlone],
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
    // Its first module is a small one: the rest is loaded when what was compiled before can be used.
    entryPoints: { main: 'src/main/start.ts' },
    chunkNames: 'main/[name]-[hash]',
  },
  // What runs in threads of its own; files that src/services/threads/Thread.ts finds by their names.
  threads: {
    ...node,
    entryPoints: [
      'src/services/definitions/definitionsThread.ts',
      'src/services/codeIndex/indexThread.ts',
      'src/services/extract-text/documentThread.ts',
      'src/core/checkpoints/checkpointThread.ts',
      'src/core/approval/commands/judgeThread.ts',
    ],
    entryNames: '[name]',
    // Beside the entries: grammars are looked for from there.
    chunkNames: '[name]-[hash]',
    outdir: 'dist/threads',
  },
  webview: {
    ...common,
    platform: 'browser',
    // The second is what an editor's theme gives, for a browser.
    entryPoints: { index: 'webview-ui/src/index.tsx', web: 'webview-ui/src/web/web.css' },
    outdir: 'dist/webview',
    chunkNames: '[name]-[hash]',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
  },
};
/** Says when a build of the watched bundles begins and when all are done: .vscode/tasks.json waits for these lines. */
let building = 0;
const announce = {
  name: 'announce',
  setup(build) {
    build.onStart(() => {
      if (building++ === 0) console.log('[watch] build started');
    });
    build.onEnd(() => {
      if (--building === 0) console.log('[watch] all bundles are built');
    });
  },
};

await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
const grammars = await copyGrammars(import.meta.dirname, 'dist/grammars');
const metafiles = [];
for (const [name, options] of Object.entries(bundles)) {
  if (flag('--watch')) {
    const watcher = await context({ ...options, plugins: [...options.plugins, announce] });
    await watcher.watch();
  } else {
    const result = await build(options).catch((error) => {
      if (!('errors' in error)) throw error;
      process.exit(1); // esbuild has said what is wrong, and where
    });
    metafiles.push(result.metafile);
    if (flag('--metafile')) await writeFile(`dist/meta-${name}.json`, JSON.stringify(result.metafile));
  }
}
if (production)
  await writeFile('dist/ThirdPartyNotices.txt', notices(import.meta.dirname, metafiles, grammars));
