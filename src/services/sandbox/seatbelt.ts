import type { SandboxProfile } from './SandboxProfile.ts';

/** Words before the program: Apple's sandbox-exec with a profile of ours. Paths are parameters, so that no path is read as a rule. */
export function seatbeltArguments(profile: SandboxProfile): string[] {
  const { parameters, text } = seatbeltProfile(profile);
  return [
    '/usr/bin/sandbox-exec',
    ...Object.entries(parameters).flatMap(([name, path]) => ['-D', `${name}=${path}`]),
    ...['-p', text],
  ];
}

/**
 * A profile in Seatbelt's language; of two rules that fit the later one holds. `GUARD` names are protected wherever they stand in the
 * workspace, so that one which is not there yet cannot be made either.
 */
export function seatbeltProfile(profile: SandboxProfile): {
  text: string;
  parameters: Record<string, string>;
} {
  const { workspace, writable, home, temporary, shown, guarded, hidden, network } = profile;
  const parameters: Record<string, string> = { WORKSPACE: workspace, HOME: home };
  if (temporary !== undefined) parameters.TEMPORARY = temporary;
  shown.forEach(({ from }, at) => (parameters[`SHOWN_${at}`] = from));
  guarded.forEach(({ path }, at) => (parameters[`GUARDED_${at}`] = path));
  hidden.forEach(({ path }, at) => (parameters[`HIDDEN_${at}`] = path));
  const subpath = (name: string): string => `(subpath (param "${name}"))`;
  const lines = [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    '(allow process-exec process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    '(allow file-read* (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System") (subpath "/Library") (subpath "/Applications") (subpath "/opt") (subpath "/private/etc/ssl") (literal "/private/etc/hosts") (literal "/private/etc/passwd") (subpath "/private/var/db/timezone") (literal "/"))',
    '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (subpath "/dev/fd"))',
    '(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))',
    `(deny file-read* file-write* ${subpath('HOME')})`,
    ...shown.map((_, at) => `(allow file-read* ${subpath(`SHOWN_${at}`)})`),
    ...(temporary === undefined ? [] : [`(allow file-read* file-write* ${subpath('TEMPORARY')})`]),
    `(allow file-read* ${subpath('WORKSPACE')})`,
    ...(writable ? [`(allow file-write* ${subpath('WORKSPACE')})`] : []),
    ...guarded.map((_, at) => `(deny file-write* ${subpath(`GUARDED_${at}`)})`),
    ...hidden.map((_, at) => `(deny file-read* file-write* ${subpath(`HIDDEN_${at}`)})`),
    network ? '(allow network*)' : '(deny network*)',
  ];
  return { text: `${lines.join('\n')}\n`, parameters };
}
