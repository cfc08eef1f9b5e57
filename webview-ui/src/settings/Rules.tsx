import { useRef, useState } from 'react';
import type { ApprovalRule } from '../../../src/shared/approvals.ts';
import { describeRule, placeOfRule } from '../approvals/describeRule.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

const lists = ['allowed', 'denied'] as const;
type List = (typeof lists)[number];

/** What "Approve always" and "Reject always" have kept; each can be taken back. */
export function Rules(): React.JSX.Element {
  const words = useWords();
  const policy = useAppState((state) => state.policy);
  const [revoked, setRevoked] = useState('');
  return (
    <section aria-label={words('webview.rules')} data-testid="rules">
      {lists.map((list) => (
        <RuleList
          key={list}
          list={list}
          rules={list === 'allowed' ? policy?.allow : policy?.deny}
          onRevoked={setRevoked}
        />
      ))}
      <p className="hidden" role="status">
        {revoked}
      </p>
    </section>
  );
}

function RuleList({
  list,
  rules,
  onRevoked,
}: {
  list: List;
  rules: readonly ApprovalRule[] | undefined;
  onRevoked: (words: string) => void;
}): React.JSX.Element {
  const words = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <div className="rules" data-testid={`rules-${list}`}>
      <h2 ref={heading} tabIndex={-1}>
        {words(`webview.rules.${list}`)}
      </h2>
      {rules?.length === 0 && (
        <p className="quiet">
          {words(list === 'allowed' ? 'webview.rules.noneAllowed' : 'webview.rules.noneDenied')}
        </p>
      )}
      <ul className="list">
        {rules?.map((rule, index) => (
          <Rule
            key={`${JSON.stringify(rule)} ${index}`}
            rule={rule}
            list={list}
            onRevoke={(described) => {
              // The button goes with its row: the keyboard stays at the list.
              heading.current?.focus();
              onRevoked(words('webview.rules.revoked', { rule: described }));
            }}
          />
        ))}
      </ul>
    </div>
  );
}

function Rule({
  rule,
  list,
  onRevoke,
}: {
  rule: ApprovalRule;
  list: List;
  onRevoke: (described: string) => void;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const root = useAppState((state) => state.workspace);
  const described = describeRule(words, rule, root);
  const place = placeOfRule(rule, root);
  return (
    <li className="list-entry" data-testid="rule" data-list={list}>
      <Icon name={iconOf(rule)} />
      <span className="list-main">
        <span>{described}</span>
        {place !== undefined && <span className="quiet list-facts">{place}</span>}
      </span>
      <IconButton
        icon="discard"
        label={words('webview.revoke', { rule: described })}
        testId="revoke"
        onClick={() => {
          onRevoke(described);
          session.models.revoke(rule);
        }}
      />
    </li>
  );
}

function iconOf(rule: ApprovalRule): string {
  switch (rule.type) {
    case 'command':
    case 'command_prefix':
      return 'terminal';
    case 'file':
      return rule.access === 'read' ? 'file' : 'edit';
    case 'folder':
      return 'folder';
    case 'site':
      return 'globe';
    case 'mcp':
      return 'plug';
    case 'kind':
      return 'root-folder';
  }
}
