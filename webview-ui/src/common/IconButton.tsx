import { Icon } from './Icon.tsx';

interface Props {
  icon: string;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  expanded?: boolean;
  testId?: string;
  className?: string;
}

/** A button that shows only its icon; its label is its name and its tooltip. */
export function IconButton({
  icon,
  label,
  onClick,
  disabled = false,
  pressed,
  expanded,
  testId,
  className = '',
}: Props): React.JSX.Element {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
      data-testid={testId}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
