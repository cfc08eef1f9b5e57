import { message, type Message, type StringKey } from '../../../shared/strings.ts';
import { programName } from './denials.ts';

interface Danger {
  key: StringKey;
  programs: ReadonlySet<string>;
  /** Which of its commands; all without it. `rest` is what follows the program, joined by blanks. */
  when?: (rest: string) => boolean;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const INSTALLS = /(^| )(i|ci|install|add|update|upgrade|exec|dlx|x|get|sync)( |$)/;

/** What programs do that cannot be taken back, by their names. For the card alone: what is not here asks all the same. */
const DANGERS: readonly Danger[] = [
  { key: 'danger.rights', programs: set('sudo su doas pkexec runas') },
  { key: 'danger.deletes', programs: set('rm rmdir shred unlink srm del erase rd remove-item') },
  { key: 'danger.deletes', programs: set('find'), when: (rest) => / -delete( |$)|-exec/.test(` ${rest}`) },
  {
    key: 'danger.discards',
    programs: set('git'),
    when: (rest) =>
      /(^| )(clean|reset --hard|checkout( .*)? (--|\.)( |$)|restore|stash (drop|clear))( |$)?/.test(rest),
  },
  { key: 'danger.disk', programs: set('dd mkfs fdisk parted wipefs diskpart format mount umount') },
  {
    key: 'danger.system',
    programs: set(
      'shutdown reboot halt poweroff systemctl launchctl crontab schtasks reg kill killall pkill',
    ),
  },
  { key: 'danger.permissions', programs: set('chmod chown chgrp setfacl icacls takeown xattr') },
  {
    key: 'danger.network',
    programs: set(
      'curl wget nc ncat netcat socat telnet ssh scp sftp rsync ftp ping dig nslookup host httpie http aria2c invoke-webrequest invoke-restmethod iwr irm',
    ),
  },
  {
    key: 'danger.network',
    programs: set('git'),
    when: (rest) => /(^| )(push|fetch|pull|clone|remote add|send-email)( |$)/.test(rest),
  },
  { key: 'danger.network', programs: set('gh glab az aws gcloud kubectl docker podman code cursor codium') },
  {
    key: 'danger.publishes',
    programs: set('npm pnpm yarn bun cargo gem twine poetry'),
    when: (rest) => /(^| )(publish|upload|yank)( |$)/.test(rest),
  },
  {
    key: 'danger.installs',
    programs: set(
      'npm pnpm yarn bun pip pip3 uv gem cargo go brew apt apt-get dnf yum pacman apk conda poetry composer',
    ),
    when: (rest) => INSTALLS.test(rest),
  },
  { key: 'danger.installs', programs: set('npx pnpx bunx uvx pipx') },
  { key: 'danger.text', programs: set('eval source . iex invoke-expression') },
];

const SHELLS = set('sh bash zsh dash ksh fish ash pwsh powershell cmd python python3 node perl ruby php');
/** Blanks in a row with which the rest of a command is pushed out of sight. */
const LONG_BLANKS = /[ \t]{40,}|\n{8,}/;

/** What a person should know of a command before they say yes, most weighty first. */
export function dangersOf(
  command: string,
  parts: readonly { words: readonly (string | undefined)[] }[],
): Message[] {
  const found: Message[] = [];
  parts.forEach(({ words }, at) => {
    for (let start = 0; start < words.length; start++) {
      const word = words[start];
      if (word === undefined) continue;
      const name = programName(word);
      const rest = words.slice(start + 1).join(' ');
      for (const { key, programs, when } of DANGERS)
        if (programs.has(name) && (when?.(rest) ?? true)) found.push(message(key, { program: word }));
      // Only what stands where a program may stand.
      if (!STARTS_OTHERS.has(name)) break;
    }
    const [first] = words;
    if (at > 0 && first !== undefined && SHELLS.has(programName(first)) && words.length === 1)
      found.push(message('danger.text', { program: first }));
  });
  if (LONG_BLANKS.test(command)) found.push(message('danger.blanks'));
  return [...new Map(found.map((one) => [one.key, one])).values()];
}

const STARTS_OTHERS = set(
  'sudo su doas env nohup nice ionice time timeout setsid stdbuf xargs command exec builtin watch strace sh bash zsh dash -c',
);
