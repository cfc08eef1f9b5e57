// npm, run by a Node of our choice and free of the settings of the npm that runs this script.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run } from './processes.mjs';

/**
 * The environment for a nested npm: `npm run` exports its own state, which would be taken for the person's wish
 * (another Node's headers, the outer package's prefix, the outer Node's user agent).
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(node) {
  const outer =
    /^(npm_(lifecycle|package|command|execpath|node_execpath)|npm_config_(local_prefix|global_prefix|prefix|user_agent|node_gyp|npm_version|nodedir|globalconfig|init_module|noproxy)$|INIT_CWD$|NODE$|NODE_OPTIONS$)/i;
  /** @type {NodeJS.ProcessEnv} */
  const env = {};
  for (const [name, value] of Object.entries(process.env)) if (!outer.test(name)) env[name] = value;
  const path = Object.keys(env).find((name) => name.toLowerCase() === 'path') ?? 'PATH';
  env[path] = [dirname(node), env[path]].filter(Boolean).join(delimiter);
  // node-gyp must see this Node's own headers, whatever npm is configured with.
  const prefix = process.platform === 'win32' ? dirname(node) : dirname(dirname(node));
  if (existsSync(join(prefix, 'include', 'node'))) env.npm_config_nodedir = prefix;
  return env;
}

/** npm's own script, so that any Node can run it. Throws when there is no npm. */
export function npmScript() {
  const { npm_execpath: outer } = process.env;
  if (outer && /npm-cli\.c?js$/.test(outer) && existsSync(outer)) return outer;
  const candidates = [join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')];
  for (const folder of (process.env.PATH ?? process.env.Path ?? '').split(delimiter)) {
    if (process.platform === 'win32')
      candidates.push(join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'));
    else if (existsSync(join(folder, 'npm'))) candidates.push(realpathSync(join(folder, 'npm')));
  }
  const found = candidates.find((path) => path.endsWith('npm-cli.js') && existsSync(path));
  if (!found) throw new Error('npm was not found on PATH. It comes with Node: https://nodejs.org');
  return found;
}

/**
 * Runs npm in `cwd`. Throws with the end of its output when it fails.
 * @param {string} node the Node that runs npm
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export async function npm(node, args, cwd) {
  /** @type {string[]} */
  const output = [];
  const { code } = await run(
    node,
    [npmScript(), ...args, '--no-audit', '--no-fund', '--no-update-notifier'],
    {
      cwd,
      env: npmEnvironment(node),
      onLine: (line) => {
        output.push(line);
        if (output.length > 400) output.shift();
      },
    },
  );
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output.slice(-60).join('\n')}`);
}
