/** A command as a person must see it: one sees where each argument begins and ends, and no character hides. */
export function shownCommand(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoted).join(' ');
}

function quoted(argument: string): string {
  if (/^[\w./:@%+=,-]+$/.test(argument)) return argument;
  return JSON.stringify(argument).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu,
    (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
