import type { ApprovalOption } from '../../../src/shared/approvals.ts';
import { Icon } from '../common/Icon.tsx';
import { Menu } from '../common/Menu.tsx';
import { useAppState, useWords } from '../useSession.ts';
import { describeNever, describeRule, placeOfRule } from './describeRule.ts';

type Kind = 'allow_always' | 'reject_always';

/** Answers that keep a rule, narrowest first. */
export function RuleMenu({
  kind,
  options,
  disabled,
  onPick,
}: {
  kind: Kind;
  options: readonly ApprovalOption[];
  disabled: boolean;
  onPick: (option: ApprovalOption) => void;
}): React.JSX.Element | null {
  const words = useWords();
  const root = useAppState(({ view }) => view.cwd);
  const offered = options.filter((option) => option.kind === kind);
  if (offered.length === 0) return null;
  const allows = kind === 'allow_always';
  const label = words(allows ? 'webview.approveAlways' : 'approval.rejectAlways');
  const nameOf = ({ rule }: ApprovalOption): string => {
    if (!rule) return label;
    return allows ? describeRule(words, rule, root) : describeNever(words, rule, root);
  };
  return (
    <Menu
      label={label}
      testId={allows ? 'approve-always' : 'reject-always'}
      className={allows ? 'always' : 'always never'}
      align={allows ? 'start' : 'end'}
      disabled={disabled}
      items={offered.map((option) => {
        const place = option.rule && placeOfRule(option.rule, root);
        return {
          id: option.id,
          label: nameOf(option),
          ...(place === undefined ? {} : { description: place }),
        };
      })}
      onPick={(id) => {
        const picked = offered.find((option) => option.id === id);
        if (picked) onPick(picked);
      }}
    >
      {allows && (
        <>
          <span className="picker-text wide">{label}</span>
          <span className="picker-text narrow">{words('webview.always')}</span>
        </>
      )}
      <Icon name="chevron-down" />
    </Menu>
  );
}
