const TAIL = 28;

/** Text that is shortened in its middle when there is no room: the end of a path says most. The whole is on hover. */
export function MiddleText({ text, mono = false }: { text: string; mono?: boolean }): React.JSX.Element {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const [head, tail] = split(line);
  return (
    <span className={mono ? 'middle mono' : 'middle'} title={text}>
      <bdi className="middle-head">{head}</bdi>
      <bdi className="middle-tail">{tail}</bdi>
    </span>
  );
}

function split(line: string): [string, string] {
  const slash = line.lastIndexOf('/');
  if (slash > 0 && line.length - slash <= TAIL) return [line.slice(0, slash), line.slice(slash)];
  const characters = Array.from(line);
  if (characters.length <= TAIL) return [line, ''];
  const tail = Math.min(12, Math.floor(TAIL / 2));
  return [characters.slice(0, -tail).join(''), characters.slice(-tail).join('')];
}
