import type { ReadMention } from '../../../src/shared/events.ts';
import type { UserItem } from '../../../src/shared/viewItems.ts';
import { Icon } from '../common/Icon.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { useWords, type Words } from '../useSession.ts';

const ICONS: Record<ReadMention['kind'], string> = {
  file: 'file',
  folder: 'folder',
  symbol: 'symbol-method',
  problems: 'warning',
  terminal: 'terminal',
  'git-changes': 'git-commit',
  commit: 'git-commit',
  url: 'globe',
  resource: 'plug',
};

/** What went with a message: what it mentions, as far as it could be read, and files. */
export function SentContext({ item }: { item: UserItem }): React.JSX.Element | null {
  const words = useWords();
  const { mentions = [], attachments = [] } = item;
  if (mentions.length + attachments.length === 0) return null;
  return (
    <ul className="chips" aria-label={words('composer.sent.mentions')} data-testid="sent-context">
      {mentions.map((mention) => (
        <li
          key={mention.mention}
          className="chip"
          title={titleOf(words, mention)}
          data-outcome={mention.outcome}
        >
          <Icon name={mention.outcome === 'failed' ? 'circle-slash' : ICONS[mention.kind]} />
          <MiddleText text={mention.mention.slice(1)} />
          {mention.outcome !== 'whole' && <span className="hidden">{titleOf(words, mention)}</span>}
        </li>
      ))}
      {attachments.map(({ name }, index) => (
        <li key={index} className="chip" title={name}>
          <Icon name="file-symlink-file" />
          <MiddleText text={name} />
        </li>
      ))}
    </ul>
  );
}

function titleOf(words: Words, { mention, outcome, problem }: ReadMention): string {
  if (problem) return words.of(problem);
  const name = mention.slice(1);
  return outcome === 'part' ? words('composer.sent.part', { name }) : name;
}
