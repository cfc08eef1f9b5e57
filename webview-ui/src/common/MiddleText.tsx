const TAIL = 28;
const NAME_END = 8;

/** Text that is shortened in its middle when there is no room: the end of a path says most. The whole is on hover. */
export function MiddleText({ text, mono = false }: { text: string; mono?: boolean }): React.JSX.Element {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const { folder, head, tail } = split(line);
  return (
    <span className={mono ? 'middle mono' : 'middle'} title={text}>
      {folder !== '' && <bdi className="middle-folder">{folder}</bdi>}
      {head !== '' && <bdi className="middle-head">{head}</bdi>}
      {tail !== '' && <bdi className="middle-tail">{tail}</bdi>}
    </span>
  );
}

/** The folder gives way first, then the middle of the name; the name's end never does. */
function split(line: string): { folder: string; head: string; tail: string } {
  const slash = line.lastIndexOf('/');
  const isPath = slash > 0 && slash < line.length - 1 && !/\s/.test(line);
  const folder = isPath ? line.slice(0, slash) : '';
  const name = Array.from(isPath ? line.slice(slash) : line);
  const end = isPath ? NAME_END : Math.min(12, Math.floor(TAIL / 2));
  if (name.length <= (isPath ? NAME_END + 2 : TAIL)) return { folder, head: '', tail: name.join('') };
  return { folder, head: name.slice(0, -end).join(''), tail: name.slice(-end).join('') };
}
