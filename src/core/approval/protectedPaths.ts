/** Names that are protected wherever they stand, with all below them when they are folders. Compared after folding. */
const PROTECTED_NAMES = new Set([
  // Editors and containers: their settings name programs to run.
  '.vscode',
  '.idea',
  '.devcontainer',
  '.cursor',
  '.zed',
  '.fleet',
  // Git runs hooks, filters and aliases from its own folder.
  '.git',
  '.gitmodules',
  '.gitattributes',
  '.husky',
  '.pre-commit-config.yaml',
  // CI runs what these say, with secrets at hand.
  '.gitlab-ci.yml',
  '.circleci',
  'jenkinsfile',
  '.travis.yml',
  'azure-pipelines.yml',
  '.buildkite',
  // Agents, this one included: their rules, modes, commands and servers.
  '.lathe',
  '.latheignore',
  '.kilocode',
  '.kilocodeignore',
  '.kilocodemodes',
  '.kilo',
  '.roo',
  '.rooignore',
  '.roomodes',
  '.roorules',
  '.cline',
  '.clinerules',
  '.claude',
  '.codex',
  '.gemini',
  '.windsurf',
  '.windsurfrules',
  '.cursorrules',
  '.cursorignore',
  '.continue',
  '.aider.conf.yml',
  'agents.md',
  'claude.md',
  'gemini.md',
  'mcp.json',
  '.mcp.json',
  // Package managers and build tools that take programs or registries from a file.
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.bazelrc',
  '.envrc',
  '.tool-versions',
  '.mise.toml',
  // Shells and sessions.
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.inputrc',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.vimrc',
  '.netrc',
  '.gitconfig',
  '.pypirc',
  // Keys.
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  // Started by the desktop.
  'launchagents',
  'launchdaemons',
  'autostart',
]);

const PROTECTED_PATTERNS = [
  /^\.env($|\.)/,
  /\.env$/,
  /\.code-workspace$/,
  /\.desktop$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^\.(cline|kilo|windsurf)/,
];

/** Folders in a row that are protected together. */
const PROTECTED_SEQUENCES = [
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.github', 'dependabot.yml'],
  ['.config', 'git'],
  ['powershell', 'profile.ps1'],
];

/** Example files hold no secrets and are meant to be edited. */
const EXAMPLES = /^\.env\.(example|sample|template|dist)$/;

/** One name as a careless file system would compare it: compatibility forms and case folded, trailing dots and spaces dropped. */
export function foldName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[. ]+$/, '') || name
  );
}

/**
 * Whether changing (or, for secrets, reading) this file could change what runs or what is allowed. `path` is a real path, absolute;
 * only the part below `root` is judged when it lies there, so that a workspace under such a folder is not protected as a whole.
 * Everything in one of `homes` (our own data folder) is protected.
 */
export function isProtected(path: string, root: string, homes: readonly string[]): boolean {
  if (homes.some((home) => path === home || isBelow(path, home))) return true;
  const judged = isBelow(path, root) ? path.slice(root.length) : path;
  const names = judged
    .split(/[/\\]+/)
    .filter((name) => name !== '')
    .map(foldName);
  if (
    names.some(
      (name) =>
        PROTECTED_NAMES.has(name) ||
        (PROTECTED_PATTERNS.some((pattern) => pattern.test(name)) && !EXAMPLES.test(name)),
    )
  )
    return true;
  return PROTECTED_SEQUENCES.some((sequence) =>
    names.some((_, at) => sequence.every((part, offset) => names[at + offset] === part)),
  );
}

/** Whether `path` lies below `folder`, by whole components. */
export function isBelow(path: string, folder: string): boolean {
  const base = folder.replace(/[/\\]+$/, '');
  return path.length > base.length && path.startsWith(base) && /[/\\]/.test(path.charAt(base.length));
}
