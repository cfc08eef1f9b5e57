import { refusal, unforeseen, type ProgramModel } from './ProgramModel.ts';
import type { Operand } from './paths.ts';

/** Tests and actions that only look; the others run programs, write, or read names from files. */
const ALONE: ReadonlySet<string> = new Set(
  '! ( ) , -not -a -and -o -or -print -print0 -ls -prune -quit -empty -true -false -depth -xdev -mount -readable -writable -executable -nouser -nogroup -daystart -noleaf -nowarn'.split(
    ' ',
  ),
);
const WITH_VALUE: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin ' +
    '-maxdepth -mindepth -perm -user -group -uid -gid -links -inum -used -fstype -printf'
  ).split(' '),
);
const WITH_FILE: ReadonlySet<string> = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);
const table = {
  runs: '-exec -execdir -ok -okdir',
  writes: '-delete -fprint -fprint0 -fprintf -fls',
};

/** Folders first, then an expression; all words of it are known, or it asks. Names are listed, nothing is read. */
export const findModel: ProgramModel = {
  judge: ([name, ...words]) => {
    const program = name?.text ?? 'find';
    const operands: Operand[] = [];
    let at = 0;
    // Follows no links: -H and -L would look outside.
    if (words[at]?.text === '-P') at++;
    for (; at < words.length; at++) {
      const word = words[at];
      if (!word || /^[-!(),]/.test(word.text)) break;
      operands.push({ path: word.text, pattern: word.pattern, recursive: false });
    }
    for (; at < words.length; at++) {
      const word = words[at];
      if (!word) break;
      const { text } = word;
      if (word.pattern) return { why: unforeseen(program, text) };
      if (ALONE.has(text)) continue;
      const value = words[at + 1];
      if (!WITH_VALUE.has(text) && !WITH_FILE.has(text)) return { why: refusal(program, text, table) };
      // A pattern that the shell would replace is more than one value.
      if (!value || value.pattern) return { why: unforeseen(program, value?.text ?? text) };
      if (WITH_FILE.has(text)) operands.push({ path: value.text, pattern: false, recursive: false });
      at++;
    }
    return { operands };
  },
};
