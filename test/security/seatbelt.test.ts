import assert from 'node:assert/strict';
import type { SandboxProfile } from '../../src/services/sandbox/SandboxProfile.ts';
import { seatbeltArguments, seatbeltProfile } from '../../src/services/sandbox/seatbelt.ts';

const profile: SandboxProfile = {
  workspace: '/Users/me/code/a "quoted") (allow default',
  writable: true,
  home: '/Users/me',
  temporary: '/private/var/folders/x/lathe-1',
  shown: [{ from: '/Users/me/.nvm/versions', to: '/Users/me/.nvm/versions' }],
  guarded: [{ path: '/Users/me/code/a/.git', type: 'folder' }],
  hidden: [{ path: '/Users/me/code/a/plan.txt', type: 'file' }],
  network: false,
  environment: {},
};

const rules = (changed: Partial<SandboxProfile> = {}): string[] =>
  seatbeltProfile({ ...profile, ...changed })
    .text.trim()
    .split('\n');
const at = (lines: readonly string[], text: string): number => {
  const found = lines.findIndex((line) => line.includes(text));
  assert.notEqual(found, -1, `${text} is not in:\n${lines.join('\n')}`);
  return found;
};

/** Enforced by macOS alone: here the text is looked at. */
describe('profile for Seatbelt', () => {
  it('begins with no, and names paths as parameters, whatever is in them', () => {
    const { text, parameters } = seatbeltProfile(profile);
    assert.match(text, /^\(version 1\)\n\(deny default\)\n/);
    assert.deepEqual(parameters, {
      WORKSPACE: profile.workspace,
      HOME: '/Users/me',
      TEMPORARY: '/private/var/folders/x/lathe-1',
      SHOWN_0: '/Users/me/.nvm/versions',
      GUARDED_0: '/Users/me/code/a/.git',
      HIDDEN_0: '/Users/me/code/a/plan.txt',
    });
    for (const path of Object.values(parameters)) assert.equal(text.includes(path), false, path);
  });

  it('of two rules the later one holds: home, workspace, what is guarded in it, what is hidden', () => {
    const lines = rules();
    const order = [
      '(deny file-read* file-write* (subpath (param "HOME")))',
      '(allow file-read* (subpath (param "SHOWN_0")))',
      '(allow file-read* (subpath (param "WORKSPACE")))',
      '(allow file-write* (subpath (param "WORKSPACE")))',
      '(deny file-write* (subpath (param "GUARDED_0")))',
      '(deny file-read* file-write* (subpath (param "HIDDEN_0")))',
    ].map((rule) => at(lines, rule));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  });

  it('has no network unless it is allowed, and nothing to write where a command only looks', () => {
    assert.equal(rules().at(-1), '(deny network*)');
    assert.equal(rules({ network: true }).at(-1), '(allow network*)');
    assert.equal(
      rules({ writable: false }).some((line) => line.includes('file-write*') && line.includes('"WORKSPACE"')),
      false,
    );
  });

  it('stands before the program as arguments of sandbox-exec', () => {
    const words = seatbeltArguments(profile);
    assert.equal(words[0], '/usr/bin/sandbox-exec');
    assert.deepEqual(words.slice(1, 5), ['-D', `WORKSPACE=${profile.workspace}`, '-D', 'HOME=/Users/me']);
    assert.deepEqual(words.slice(-2), ['-p', seatbeltProfile(profile).text]);
  });
});
