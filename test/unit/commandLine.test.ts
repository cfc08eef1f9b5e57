import assert from 'node:assert/strict';
import { shownCommand } from '../../src/shared/commandLine.ts';

describe('a command as a person must see it', () => {
  it('one sees where each argument begins and ends, and no character hides', () => {
    assert.equal(
      shownCommand('npx', [
        '-y',
        '@scope/name',
        'a b',
        '',
        '"',
        'x\u202Ey',
        'z\u200B',
        'line\nbreak',
        '\u{E0041}',
      ]),
      String.raw`npx -y @scope/name "a b" "" "\"" "x\u{202e}y" "z\u{200b}" "line\nbreak" "\u{e0041}"`,
    );
    assert.equal(shownCommand('/bin/программа', []), '"/bin/программа"');
  });
});
