import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { browserPlaces, findBrowser } from '../../src/services/browser/findBrowser.ts';
import { keysOf } from '../../src/services/browser/keys.ts';
import { networkPlace, placeOfAddress } from '../../src/services/browser/networkPlace.ts';
import { PageLog } from '../../src/services/browser/PageLog.ts';

describe('where a browser is looked for', () => {
  it('in the usual places of each system, by absolute paths alone', () => {
    const linux = browserPlaces({ platform: 'linux', environment: { PATH: '/home/me/bin:.:bin:/usr/bin' } });
    assert.equal(linux[0], '/usr/bin/google-chrome');
    assert.ok(linux.includes('/home/me/bin/chromium'));
    assert.ok(linux.includes('/opt/microsoft/msedge/msedge'));
    assert.deepEqual(
      linux.filter((path) => !path.startsWith('/')),
      [],
    );
    assert.equal(new Set(linux).size, linux.length);

    const mac = browserPlaces({ platform: 'darwin', environment: { HOME: '/Users/me' } });
    assert.equal(mac[0], '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
    assert.ok(mac.includes('/Users/me/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'));

    const windows = browserPlaces({
      platform: 'win32',
      environment: {
        ProgramFiles: 'C:\\Program Files',
        LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local',
        Path: '.',
      },
    });
    assert.deepEqual(windows.slice(0, 2), [
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
      'C:\\Users\\me\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe',
    ]);
    assert.ok(windows.includes('C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe'));
  });

  it('what can be started is found on PATH, and nothing where there is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lathe-find-'));
    try {
      const program = join(folder, 'bin', 'microsoft-edge-beta');
      mkdirSync(join(folder, 'bin'));
      writeFileSync(program, '');
      const machine = { platform: 'linux', environment: { PATH: join(folder, 'bin') } } as const;
      // Not executable: what is installed, or nothing.
      assert.notEqual(await findBrowser(machine), program);
      chmodSync(program, 0o755);
      assert.ok(browserPlaces(machine).includes(program));
      const elsewhere = { platform: 'darwin', environment: { HOME: folder } } as const;
      if (process.platform !== 'darwin') assert.equal(await findBrowser(elsewhere), undefined);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('where an address leads', () => {
  it('by its number, however it is written', async () => {
    const { signal } = new AbortController();
    const places: Record<string, string> = {};
    for (const host of [
      'localhost',
      'app.localhost',
      'localhost.',
      '127.0.0.1',
      '127.1.2.3',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '10.1.2.3',
      '172.16.0.1',
      '172.32.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '[fd12::1]',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::a00:1]',
      '169.254.169.254',
      '[::ffff:a9fe:a9fe]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '100.100.100.200',
      'metadata.google.internal',
      '224.0.0.1',
      '255.255.255.255',
      '8.8.8.8',
      '[2606:4700::1111]',
      'no-such-host.invalid',
    ])
      places[host] = await networkPlace(new URL(`http://${host}/`), signal);
    assert.deepEqual(places, {
      localhost: 'loopback',
      'app.localhost': 'loopback',
      'localhost.': 'loopback',
      '127.0.0.1': 'loopback',
      '127.1.2.3': 'loopback',
      '0.0.0.0': 'loopback',
      '2130706433': 'loopback',
      '0x7f.1': 'loopback',
      '[::1]': 'loopback',
      '[::ffff:127.0.0.1]': 'loopback',
      '[::127.0.0.1]': 'loopback',
      '10.1.2.3': 'private',
      '172.16.0.1': 'private',
      '172.32.0.1': 'public',
      '192.168.1.1': 'private',
      '100.64.0.1': 'private',
      '[fd12::1]': 'private',
      '[::ffff:10.0.0.1]': 'private',
      '[64:ff9b::a00:1]': 'private',
      '169.254.169.254': 'unreachable',
      '[::ffff:a9fe:a9fe]': 'unreachable',
      '[fe80::1]': 'unreachable',
      '[fd00:ec2::254]': 'unreachable',
      '100.100.100.200': 'unreachable',
      'metadata.google.internal': 'unreachable',
      '224.0.0.1': 'unreachable',
      '255.255.255.255': 'unreachable',
      '8.8.8.8': 'public',
      '[2606:4700::1111]': 'public',
      'no-such-host.invalid': 'public',
    });
  });

  it('an IPv4 address inside IPv6 is in the same place', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        assert.equal(placeOfAddress(hex), placeOfAddress(address));
        assert.equal(placeOfAddress(`::ffff:${address}`), placeOfAddress(address));
      }),
    );
  });
});

describe('keys', () => {
  it('are read as people write them', () => {
    assert.deepEqual(
      ['Enter', 'ctrl+a', 'Cmd + Shift + Z', 'Escape', 'F12', 'pgdn', '+', 'Control++', 'é', ''].map(
        (text) => {
          try {
            const { modifiers, key } = keysOf(text);
            return [...modifiers, key].join(' ');
          } catch (error) {
            return error instanceof Error ? error.message : error;
          }
        },
      ),
      [
        'Enter',
        'Control a',
        'Meta Shift Z',
        'Escape',
        'F12',
        'PageDown',
        '+',
        'Control +',
        "There is no key 'é'.",
        "There is no key ''.",
      ],
    );
  });
});

describe('the log of a page', () => {
  it('keeps every line of a few, and first and last of many, with the right count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), (count) => {
        const log = new PageLog();
        for (let line = 0; line < count; line++) log.add('log', String(line));
        const taken = log.take();
        const lines = taken === '' ? [] : taken.split('\n');
        const left = Number(/\((\d+) more lines here\)/.exec(taken)?.[1] ?? 0);
        assert.equal(lines.filter((line) => line.startsWith('log: ')).length + left, count);
        assert.equal(count > 80, left > 0);
        if (count > 0) assert.deepEqual([lines[0], lines.at(-1)], ['log: 0', `log: ${count - 1}`]);
        assert.equal(log.take(), '');
      }),
    );
  });

  it('makes one line of each, and none longer than it may be', () => {
    const log = new PageLog();
    log.add('log', 'a\n  b\r\nc');
    log.add('log', 'x'.repeat(10_000));
    const [first, second = ''] = log.take().split('\n');
    assert.deepEqual([first, second.length], ['log: a ⏎ b ⏎ c', 506]);
  });
});
