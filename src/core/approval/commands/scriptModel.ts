import { unforeseen, type ProgramModel } from './ProgramModel.ts';

/** A script of the project by its name. What stands after it goes to a program that is not known. */
export function scripts(named: readonly string[], running: readonly string[]): ProgramModel {
  return {
    changes: true,
    judge: ([name, ...words]) => {
      const flags = ['-s', '--silent'];
      const rest = words.filter(({ text }) => !flags.includes(text));
      const [first, script, ...more] = rest.map(({ text }) => text);
      const program = name?.text ?? '';
      if (first === undefined) return { why: unforeseen(program, '') };
      const isNamed = named.includes(first);
      const extra = isNamed ? script : more[0];
      const known =
        isNamed ||
        (running.includes(first) && (script === undefined || /^[A-Za-z0-9][\w:.-]*$/.test(script)));
      if (!known) return { why: unforeseen(program, first) };
      return extra === undefined ? { operands: [] } : { why: unforeseen(program, extra) };
    },
  };
}
