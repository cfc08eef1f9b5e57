/** What every server needs to start at all; nothing that could be a key. The rest is what its entry names. */
const PASSED = new Set(
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'PROGRAMFILES(X86)',
        'PROGRAMW6432',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
);

/** The environment of a server's process: a few names of ours, then what its entry gives it. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = Object.entries(ours).flatMap(([name, value]): [string, string][] =>
    value === undefined || !PASSED.has(process.platform === 'win32' ? name.toUpperCase() : name)
      ? []
      : [[name, value]],
  );
  return { ...Object.fromEntries(passed), ...given };
}
