const NAME_END = 8;

/**
 * A path, shortened in its middle when there is no room: its end says most. Of a command, and of other words, the beginning does. The
 * whole is on hover.
 */
export function MiddleText({
  text,
  kind = 'path',
}: {
  text: string;
  kind?: 'path' | 'command' | 'words';
}): React.JSX.Element {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const { folder, head, tail } = kind === 'path' ? split(line) : { folder: '', head: line, tail: '' };
  return (
    <span className={kind === 'command' ? 'middle mono' : 'middle'} title={text}>
      {folder !== '' && <bdi className="middle-folder">{folder}</bdi>}
      {head !== '' && <bdi className="middle-head">{head}</bdi>}
      {tail !== '' && <bdi className="middle-tail">{tail}</bdi>}
    </span>
  );
}

/** The folder gives way first, then the middle of the name; the name's end never does. */
function split(line: string): { folder: string; head: string; tail: string } {
  const slash = line.lastIndexOf('/');
  const hasFolder = slash > 0 && slash < line.length - 1;
  const folder = hasFolder ? line.slice(0, slash) : '';
  const name = Array.from(hasFolder ? line.slice(slash) : line);
  if (name.length <= NAME_END + 2) return { folder, head: '', tail: name.join('') };
  return { folder, head: name.slice(0, -NAME_END).join(''), tail: name.slice(-NAME_END).join('') };
}
