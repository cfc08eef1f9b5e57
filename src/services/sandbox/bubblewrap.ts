import type { SandboxProfile } from './SandboxProfile.ts';

/** Folders of the system as they are on this machine: some are links into /usr. */
export interface SystemFolders {
  folders: readonly string[];
  links: readonly { path: string; target: string }[];
}

/**
 * What programs read in /etc to start: names of libraries, of users, of certificates. The rest is not there: other programs' settings
 * hold keys.
 */
const SETTINGS =
  'alternatives ca-certificates ca-certificates.conf crypto-policies debian_version environment.d fonts gai.conf group hostname hosts java ' +
  'ld.so.cache ld.so.conf ld.so.conf.d locale.alias locale.conf localtime login.defs magic mailcap mime.types nsswitch.conf ' +
  'os-release passwd perl pki protocols python3 rpc services shells ssl terminfo timezone xdg';
/** Only of use with a network. */
const NETWORK_SETTINGS = 'resolv.conf host.conf';

/**
 * The arguments of bwrap up to and without the `--` before the program. The order matters: later ones lie over earlier ones.
 * A root of its own holds the system read-only, an empty home and an empty /tmp, the workspace, and what the profile names.
 */
export function bubblewrapArguments(profile: SandboxProfile, system: SystemFolders, cwd: string): string[] {
  const { workspace, writable, home, shown, guarded, hidden, network, environment } = profile;
  const settings = `${SETTINGS}${network ? ` ${NETWORK_SETTINGS}` : ''}`.split(' ');
  return [
    // No process of it outlives it, none sees another, and none gets more rights than it has now, which are none.
    ...['--unshare-all', '--unshare-user', '--disable-userns', ...(network ? ['--share-net'] : [])],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...system.folders.flatMap((path) => ['--ro-bind', path, path]),
    ...system.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...settings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', home],
    ...shown.flatMap(({ from, to }) => ['--ro-bind-try', from, to]),
    ...[writable ? '--bind' : '--ro-bind', workspace, workspace],
    ...guarded.flatMap(({ path }) => ['--ro-bind', path, path]),
    // A device that may not be opened: what is hidden says so, instead of being empty.
    ...hidden.flatMap(({ path, type }) =>
      type === 'folder'
        ? ['--perms', '0000', '--tmpfs', path, '--remount-ro', path]
        : ['--ro-bind', '/dev/null', path],
    ),
    ...['--remount-ro', '/', '--chdir', cwd],
  ];
}
