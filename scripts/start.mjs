// `npm start`: installs what is missing, builds Lathe, and opens it in VS Code on a copy of scripts/sample: the desktop
// VS Code where `code` is on PATH, else VS Code in the browser.
// --browser: the browser even where `code` is on PATH. --no-open: open no window. --port=N: the port on 127.0.0.1.
// --fresh: start from an untouched copy of the sample.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder } from './lib/cache.mjs';
import { codeServer } from './lib/codeServer.mjs';
import { findProgram } from './lib/debian.mjs';
import { dependencies } from './lib/dependencies.mjs';
import { newerNode } from './lib/node.mjs';
import { npmEnvironment } from './lib/npm.mjs';
import { onInterrupt, run } from './lib/processes.mjs';
import { withProgress } from './lib/progress.mjs';
import { QUIET_SETTINGS, installExtension, startServer, writeUserSettings } from './lib/vsCodeServer.mjs';

const ROOT = dirname(import.meta.dirname);
const VSIX = join(ROOT, 'dist', 'lathe.vsix');
const PORT = 8137;

const { values: flags } = parseArgs({
  options: {
    browser: { type: 'boolean', default: false },
    'no-open': { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    port: { type: 'string' },
  },
});

try {
  await start();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function start() {
  const port = flags.port === undefined ? undefined : Number(flags.port);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new Error(`--port=${flags.port}: a port is a number from 1 to 65535.`);
  console.log('== What is needed');
  const node = await newerNode();
  await dependencies(ROOT, node);
  console.log('== Build');
  await withProgress('building and packaging Lathe', () => quietly(node, ['scripts/package.mjs']));
  const workspace = sampleWorkspace();
  const desktop = flags.browser || flags['no-open'] || !hasScreen() ? undefined : findProgram(['code']);
  if (desktop && (await openDesktop(desktop, workspace))) return;
  await serve(workspace, port);
}

/** A copy of the sample that the person and the agent may change; it stays between two starts. */
function sampleWorkspace() {
  const workspace = join(cacheFolder(), 'start', 'expenses');
  if (flags.fresh) rmSync(workspace, { recursive: true, force: true });
  if (!existsSync(workspace)) {
    mkdirSync(dirname(workspace), { recursive: true });
    cpSync(join(ROOT, 'scripts', 'sample'), workspace, { recursive: true });
  }
  return workspace;
}

/**
 * @param {string} code
 * @param {string} workspace
 */
async function openDesktop(code, workspace) {
  console.log('== VS Code');
  const options = { env: npmEnvironment(process.execPath), shell: process.platform === 'win32' };
  for (const args of [['--install-extension', VSIX, '--force'], [workspace]])
    if ((await run(code, args, options)).code !== 0) {
      console.log(`  \`code ${args.join(' ')}\` failed: using VS Code in the browser instead`);
      return false;
    }
  console.log(`\nLathe is installed in your VS Code, which opens ${workspace}.`);
  console.log(
    'Its icon, a spindle, is in the activity bar. To remove it: code --uninstall-extension lathe.lathe',
  );
  return true;
}

/**
 * @param {string} workspace
 * @param {number | undefined} port
 */
async function serve(workspace, port) {
  console.log('== VS Code in the browser');
  const installation = { ...(await codeServer()), folder: join(cacheFolder(), 'start', 'vscode') };
  if (!existsSync(join(installation.folder, 'data', 'User', 'settings.json')))
    writeUserSettings(installation.folder, QUIET_SETTINGS);
  const server = await withProgress('starting VS Code', async (stage) => {
    stage('installing Lathe in it');
    await installExtension(installation, VSIX);
    stage('waiting for it to answer');
    return startServer({ ...installation, workspace, port: port ?? PORT, portIsWish: port === undefined });
  });
  let stopping = false;
  onInterrupt(async () => {
    stopping = true;
    console.log('\nStopping VS Code');
    await server.stop();
  });
  const address = `${server.origin}/?folder=${encodeURIComponent(workspace)}`;
  console.log(`\nLathe is in VS Code at\n\n  ${address}\n\nIts icon, a spindle, is in the activity bar.`);
  console.log('The address answers on this machine only. Ctrl-C stops it; your tasks are kept.');
  if (!flags['no-open'] && hasScreen()) await openBrowser(address);
  await server.ended;
  if (!stopping) throw new Error(`VS Code ended:\n${server.log().slice(-2000)}`);
}

function hasScreen() {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
}

/** @param {string} address */
async function openBrowser(address) {
  const program = process.platform === 'darwin' ? '/usr/bin/open' : findProgram(['xdg-open']);
  if (program) await run(program, [address], { onLine: () => undefined, timeout: 10_000 });
}

/**
 * @param {string} node
 * @param {readonly string[]} args
 */
async function quietly(node, args) {
  /** @type {string[]} */
  const output = [];
  const { code } = await run(node, args, {
    cwd: ROOT,
    env: npmEnvironment(node),
    onLine: (line) => output.push(line),
    timeout: 10 * 60_000,
  });
  if (code !== 0) throw new Error(`${args.join(' ')} failed:\n${output.join('\n')}`);
}
