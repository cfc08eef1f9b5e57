import { findMentions, mentionOf, type MentionTarget } from '../../../src/shared/mention.ts';
import { Icon } from '../common/Icon.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { certainMention } from './completionTrigger.ts';

/** What goes with the message that is being written, each part removable: mentions, files, pictures. And the file in view, to add. */
export function ContextChips(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const draft = useAppState((state) => state.draft);
  const inView = useAppState((state) => state.inView);
  const mentions = findMentions(draft.text).filter(({ target }) => target.kind !== 'path' || target.certain);
  const { file, lines } = inView;
  const offered = file === undefined ? undefined : certainMention(file, lines);
  const isThere = (mention: string): boolean => mentions.some(({ text }) => text === mention);
  const offer =
    offered !== undefined && !isThere(offered) && !(file !== undefined && isThere(mentionOf(file)));
  if (!offer && mentions.length + draft.attachments.length + draft.images.length === 0) return null;
  return (
    <ul className="chips" aria-label={words('composer.chips')} data-testid="chips">
      {draft.images.map(({ mediaType, data }, index) => {
        const name = words('webview.picture', { number: index + 1 });
        return (
          <Chip
            key={`image ${index}`}
            name={name}
            remove={() =>
              session.write({ ...draft, images: draft.images.filter((_, other) => other !== index) })
            }
            testId="thumbnail"
          >
            <img src={`data:${mediaType};base64,${data}`} alt="" />
          </Chip>
        );
      })}
      {mentions.map(({ text, start, end, target }) => (
        <Chip
          key={`mention ${start}`}
          name={text.slice(1)}
          icon={iconOf(target)}
          remove={() => session.write({ ...draft, text: without(draft.text, start, end) })}
        />
      ))}
      {draft.attachments.map(({ name }, index) => (
        <Chip
          key={`file ${index}`}
          name={name}
          icon="file-symlink-file"
          remove={() =>
            session.write({
              ...draft,
              attachments: draft.attachments.filter((_, other) => other !== index),
            })
          }
        />
      ))}
      {offer && (
        <li className="chip-offer">
          <button
            type="button"
            className="chip"
            data-testid="add-in-view"
            title={words('composer.addInView', { name: offered.slice(1) })}
            aria-label={words('composer.addInView', { name: offered.slice(1) })}
            onClick={() => session.addMention(offered)}
          >
            <Icon name="add" />
            <MiddleText text={offered.slice(1)} />
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip(props: {
  name: string;
  icon?: string;
  remove: () => void;
  testId?: string;
  children?: React.ReactNode;
}): React.JSX.Element {
  const words = useWords();
  const { name, icon, remove, testId = 'chip', children } = props;
  const label = words('composer.remove', { name });
  return (
    <li className="chip" title={name} data-testid={testId}>
      {children}
      {icon !== undefined && <Icon name={icon} />}
      <MiddleText text={name} />
      <button type="button" className="chip-remove" aria-label={label} title={label} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

/** The text without a mention, and without the blank that parted it from the rest. */
function without(text: string, start: number, end: number): string {
  const after = text.slice(end);
  const before = text.slice(0, start);
  return before + (before === '' || /\s$/.test(before) ? after.replace(/^[ \t]/, '') : after);
}

export function iconOf({ kind, ...target }: MentionTarget): string {
  switch (kind) {
    case 'problems':
      return 'warning';
    case 'terminal':
      return 'terminal';
    case 'git-changes':
    case 'commit':
      return 'git-commit';
    case 'url':
      return 'globe';
    case 'resource':
      return 'plug';
    case 'path':
      return 'path' in target && target.path.endsWith('/') ? 'folder' : 'file';
  }
}
