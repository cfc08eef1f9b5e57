import { win32 } from 'node:path';

/** How a shell is started for one command. `verbatim`: the arguments go to Windows as they are. */
export interface ShellCall {
  arguments: string[];
  verbatim: boolean;
}

/** Shells that take a command after `-c`; others, such as a profile that starts a container, are no shells to us. */
const POSIX = /^(ba|z|da|k|c|tc|fi|mk|pdk)?sh$|^(ash|nu|elvish|xonsh|busybox)$/;
const POWERSHELL = /^(pwsh(-preview)?|powershell)$/;

/**
 * What PowerShell says is UTF-8 and no progress bars. Without the last line it gives 1 for whatever a program gave, and 0 for
 * a mistake in its own words when a program went well before.
 */
const POWERSHELL_BEFORE =
  "$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false)}catch{};";
const POWERSHELL_AFTER = '\nif(-not $?){if($LASTEXITCODE){exit $LASTEXITCODE};exit 1}';

/** The name of a shell's program, whichever system's path it is: `bash`, `pwsh`, `cmd`. */
export function shellName(shell: string): string {
  return win32
    .basename(shell)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

/** Whether it is a shell that we know how to give one command. */
export function isKnownShell(shell: string): boolean {
  const name = shellName(shell);
  return name === 'cmd' || POSIX.test(name) || POWERSHELL.test(name);
}

/** How this shell runs the command and nothing of the person's own start files. */
export function shellCall(shell: string, command: string): ShellCall {
  const name = shellName(shell);
  if (POWERSHELL.test(name))
    return {
      arguments: [
        ...['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'],
        `${POWERSHELL_BEFORE}${command}${POWERSHELL_AFTER}`,
      ],
      verbatim: false,
    };
  // With /s it takes off the outer quotes and nothing else; it knows no backslash before a quote, as others would write them.
  if (name === 'cmd') return { arguments: ['/d', '/s', '/c', `"${command}"`], verbatim: true };
  return { arguments: [...(name === 'busybox' ? ['sh'] : []), '-c', command], verbatim: false };
}
