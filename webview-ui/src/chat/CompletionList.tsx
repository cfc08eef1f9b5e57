import { useEffect, useRef } from 'react';
import { Icon } from '../common/Icon.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { useWords } from '../useSession.ts';
import type { Completions } from './useCompletions.ts';

export const LIST_ID = 'completions';

export function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

/** What can be completed, above the composer, which keeps the focus. */
export function CompletionList({ completions }: { completions: Completions }): React.JSX.Element | null {
  const words = useWords();
  const { kind, items, active, setActive } = completions;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, items]);
  if (kind === undefined || items.length === 0) return null;
  return (
    <ul
      id={LIST_ID}
      className="completions"
      role="listbox"
      aria-label={words(`webview.completions.${kind}`)}
      ref={list}
      data-testid="completions"
    >
      {items.map(({ id, label, isPath, icon, description, pick }, index) => (
        <li
          key={id}
          id={optionId(index)}
          role="option"
          aria-selected={index === active}
          className="completion-option"
          data-testid="completion-option"
          onPointerMove={() => {
            if (index !== active) setActive(index);
          }}
          onPointerDown={(event) => {
            // The composer keeps the focus.
            event.preventDefault();
            pick();
          }}
        >
          <Icon name={icon} />
          {isPath ? <MiddleText text={label} /> : <span>{label}</span>}
          {description !== undefined && <span className="quiet completion-what">{description}</span>}
        </li>
      ))}
    </ul>
  );
}
