// Starts code-server on loopback and knows when it answers.
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './cache.mjs';
import { npmEnvironment } from './npm.mjs';
import { run, stopTree } from './processes.mjs';

/**
 * Everything that this VS Code writes goes below `folder`: user data, extensions, and its own settings file.
 * @typedef {object} VsCodeInstallation
 * @property {string} node
 * @property {string} entry
 * @property {string} folder
 * @property {NodeJS.ProcessEnv} [env] added to ours
 */

/**
 * @typedef {object} VsCodeServer
 * @property {number} pid
 * @property {string} origin `http://127.0.0.1:<port>`
 * @property {() => string} log what the server has said so far
 * @property {Promise<void>} ended
 * @property {() => Promise<void>} stop with everything that it started
 */

const READY_MS = 60_000;

/** @param {VsCodeInstallation} installation */
function commonArguments({ folder, entry }) {
  const settings = join(folder, 'code-server.yaml');
  mkdirSync(join(folder, 'data', 'User'), { recursive: true });
  mkdirSync(join(folder, 'extensions'), { recursive: true });
  // Without a file of its own, code-server writes one with a password into the person's home.
  writeFileSync(settings, '{}\n');
  return [
    ...[entry, '--config', settings],
    ...['--user-data-dir', join(folder, 'data'), '--extensions-dir', join(folder, 'extensions')],
  ];
}

/** @param {VsCodeInstallation} installation */
function environment({ node, env }) {
  const clean = Object.entries(npmEnvironment(node)).filter(([name]) => !/^(VSCODE_|npm_)/.test(name));
  return { ...Object.fromEntries(clean), ...env };
}

/**
 * @param {VsCodeInstallation} installation
 * @param {string} vsix
 */
export async function installExtension(installation, vsix) {
  /** @type {string[]} */
  const output = [];
  const { code } = await run(
    installation.node,
    [...commonArguments(installation), '--install-extension', vsix, '--force'],
    { env: environment(installation), onLine: (line) => output.push(line), timeout: 120_000 },
  );
  if (code !== 0) throw new Error(`VS Code refused ${vsix}:\n${output.join('\n')}`);
}

/**
 * Writes the default settings of the workbench, where a person would change them.
 * @param {string} folder
 * @param {Record<string, unknown>} settings
 */
export function writeUserSettings(folder, settings) {
  const path = join(folder, 'data', 'User', 'settings.json');
  mkdirSync(dirname(path), { recursive: true });
  // In one step: a running workbench complains about half of a file.
  writeFileSync(`${path}.part`, `${JSON.stringify(settings, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}

/** Settings that keep the workbench quiet and on this machine. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'window.menuBarVisibility': 'compact',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'terminal.integrated.shellIntegration.enabled': true,
};

/**
 * Starts VS Code on `workspace`, or on no folder. Resolves when it answers; throws, with its output, when it does not.
 * `port` is any free one by default; with `portIsWish`, another one is taken where it is in use.
 * @param {VsCodeInstallation & { workspace?: string, port?: number, portIsWish?: boolean, smokeTestDriver?: boolean, asksForTrust?: boolean }} options
 * @returns {Promise<VsCodeServer>}
 */
export async function startServer(options) {
  const wished = options.port === undefined ? undefined : await freePort(options.port);
  if (options.port !== undefined && wished === undefined && !options.portIsWish)
    throw new Error(`Port ${options.port} is taken by another program: choose another with --port=N.`);
  const port = wished ?? (await freePort(0));
  const child = spawn(
    options.node,
    [
      ...commonArguments(options),
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      ...['--disable-proxy', ...(options.asksForTrust ? [] : ['--disable-workspace-trust'])],
      // A built VS Code ignores a development or test extension in the address without it.
      ...(options.smokeTestDriver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
      ...(options.workspace === undefined ? [] : [options.workspace]),
    ],
    { env: environment(options), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-100_000)));
  let over = false;
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      log += error.message;
      over = true;
      resolve();
    });
    child.once('exit', () => {
      over = true;
      resolve();
    });
  });
  const origin = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.pid !== undefined) await stopTree(child.pid);
  };
  for (const deadline = Date.now() + READY_MS; !(await answers(`${origin}/healthz`)); await sleep(100)) {
    if (!over && Date.now() < deadline) continue;
    await stop();
    throw new Error(`VS Code ${over ? 'ended' : 'did not answer'} on port ${port}:\n${log}`);
  }
  // Another server on this port would have answered in our child's place.
  if (over) throw new Error(`VS Code ended; port ${port} is taken by another program:\n${log}`);
  return { pid: child.pid ?? 0, origin, log: () => log, ended, stop };
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false; // not listening yet
  }
}

/**
 * The port, or any for 0; undefined when it is taken.
 * @param {number} wish
 * @returns {Promise<number | undefined>}
 */
function freePort(wish) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(wish, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
