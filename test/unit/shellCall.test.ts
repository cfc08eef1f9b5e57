import assert from 'node:assert/strict';
import { isKnownShell, shellCall, shellName } from '../../src/hosts/node/shellCall.ts';

describe('how a shell is given a command', () => {
  it('cmd.exe takes it as it is, between quotes that it takes off itself', () => {
    assert.deepEqual(shellCall('C:\\Windows\\System32\\cmd.exe', 'echo "a b" & dir "C:\\Program Files"'), {
      arguments: ['/d', '/s', '/c', '"echo "a b" & dir "C:\\Program Files""'],
      verbatim: true,
    });
  });

  it('PowerShell gives UTF-8, and the exit code of the program that failed', () => {
    for (const shell of [
      'pwsh',
      '/usr/bin/pwsh',
      'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\PowerShell.EXE',
    ]) {
      const {
        arguments: [...words],
        verbatim,
      } = shellCall(shell, 'npm test # all\n');
      const script = words.pop() ?? '';
      assert.deepEqual([words, verbatim], [['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'], false]);
      assert.match(script, /OutputEncoding=\[Text\.UTF8Encoding\].*;npm test # all\n/);
      assert.match(script, /\nif\(-not \$\?\)\{if\(\$LASTEXITCODE\)\{exit \$LASTEXITCODE\};exit 1\}$/);
    }
  });

  it('every other shell takes it after -c', () => {
    for (const shell of ['/bin/bash', 'C:\\Program Files\\Git\\bin\\bash.exe', '/usr/bin/fish', 'sh'])
      assert.deepEqual(shellCall(shell, 'ls'), { arguments: ['-c', 'ls'], verbatim: false });
  });

  it('knows a shell from what is none', () => {
    assert.deepEqual(
      [
        '/bin/zsh',
        'dash',
        'C:\\x\\cmd.exe',
        'pwsh',
        'nu',
        '',
        '/usr/sbin/nologin',
        '/bin/false',
        'wsl.exe',
        'bashful',
      ].map((shell) => [shellName(shell), isKnownShell(shell)]),
      [
        ...['zsh', 'dash', 'cmd', 'pwsh', 'nu'].map((name) => [name, true]),
        ...['', 'nologin', 'false', 'wsl', 'bashful'].map((name) => [name, false]),
      ],
    );
  });
});
