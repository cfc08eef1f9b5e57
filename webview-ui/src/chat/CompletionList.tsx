import { useEffect } from 'react';
import { Icon } from '../common/Icon.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { useWords } from '../useSession.ts';
import type { Completion } from './Completion.ts';
import type { Completions } from './useCompletions.ts';

export const LIST_ID = 'completions';

export function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

const LABELS = {
  mention: 'composer.mentions',
  command: 'webview.completions.command',
  argument: 'composer.group.values',
} as const;

/** What can be completed, in groups, above the composer, which keeps the focus. */
export function CompletionList({ completions }: { completions: Completions }): React.JSX.Element | null {
  const words = useWords();
  const { kind, items, active } = completions;
  useEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active, items]);
  if (kind === undefined || items.length === 0) return null;
  return (
    <div
      id={LIST_ID}
      className="completions"
      role="listbox"
      // It scrolls, so it must be reachable; the composer closes it before the focus gets here.
      tabIndex={0}
      aria-label={words(LABELS[kind])}
      data-testid="completions"
    >
      {groupsOf(items).map(({ group, first, members }) => (
        <div key={group} role="group" aria-labelledby={`${LIST_ID}-${group}`}>
          <div id={`${LIST_ID}-${group}`} role="presentation" className="completion-group quiet">
            {words(group)}
          </div>
          {members.map((item, index) => (
            <Option key={item.id} item={item} index={first + index} completions={completions} />
          ))}
        </div>
      ))}
    </div>
  );
}

function Option(props: { item: Completion; index: number; completions: Completions }): React.JSX.Element {
  const { item, index, completions } = props;
  const { label, isPath, icon, description, title } = item;
  return (
    <div
      id={optionId(index)}
      role="option"
      aria-selected={index === completions.active}
      className="completion-option"
      data-testid="completion-option"
      title={title}
      onPointerMove={() => {
        if (index !== completions.active) completions.setActive(index);
      }}
      onPointerDown={(event) => {
        // The composer keeps the focus.
        event.preventDefault();
        completions.pick(item);
      }}
    >
      <Icon name={icon} />
      {isPath ? <MiddleText text={label} /> : <span className="completion-label">{label}</span>}
      {description !== undefined && <span className="quiet completion-what">{description}</span>}
    </div>
  );
}

/** Neighbours of one group, each group with the number of its first. */
function groupsOf(
  items: readonly Completion[],
): { group: Completion['group']; first: number; members: Completion[] }[] {
  const groups: { group: Completion['group']; first: number; members: Completion[] }[] = [];
  for (const [index, item] of items.entries()) {
    const last = groups.at(-1);
    if (last?.group === item.group) last.members.push(item);
    else groups.push({ group: item.group, first: index, members: [item] });
  }
  return groups;
}
