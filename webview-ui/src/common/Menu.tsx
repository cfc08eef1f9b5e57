import { useEffect, useId, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';

export interface MenuItem {
  id: string;
  label: string;
  description?: string;
  icon?: string;
  /** Present for items that are on or off; the menu stays open. */
  checked?: boolean;
  /** One of several: the menu closes. */
  selected?: boolean;
}

interface Props {
  /** What the button shows. */
  children: React.ReactNode;
  /** The button's name; also its tooltip. */
  label: string;
  items: readonly MenuItem[];
  onPick: (id: string) => void;
  testId?: string;
  className?: string;
  disabled?: boolean;
  /** Opens the menu when it rises. */
  openRequest?: number;
  align?: 'start' | 'end';
  /** Opens downwards: for buttons that are not at the end of the panel. */
  below?: boolean;
}

/** A button with a menu above it: arrows walk, Enter picks, Escape closes and gives the focus back. */
export function Menu({
  children,
  label,
  items,
  onPick,
  testId,
  className = '',
  disabled = false,
  openRequest = 0,
  align = 'start',
  below = false,
}: Props): React.JSX.Element {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const seenRequest = useRef(openRequest);
  const id = useId();

  useEffect(() => {
    if (openRequest !== seenRequest.current) setOpen(true);
    seenRequest.current = openRequest;
  }, [openRequest]);

  useEffect(() => {
    if (!open) return undefined;
    const options = list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]');
    const chosen = list.current?.querySelector<HTMLElement>('[aria-checked="true"]');
    (chosen ?? options?.[0])?.focus();
    const closeOutside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    // A click into an editor reaches no listener here: the page only loses its focus.
    const closeOnBlur = (): void => setOpen(false);
    document.addEventListener('pointerdown', closeOutside);
    window.addEventListener('blur', closeOnBlur);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      window.removeEventListener('blur', closeOnBlur);
    };
  }, [open]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const walk = (step: number): void => {
    const options = [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const index = options.findIndex((option) => option === document.activeElement);
    options.at((index + step) % options.length)?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') walk(1);
    else if (event.key === 'ArrowUp') walk(-1);
    else if (event.key === 'Tab') {
      setOpen(false);
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className={`menu-root ${className}`} ref={root}>
      <button
        type="button"
        ref={button}
        className="picker"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        title={label}
        disabled={disabled}
        data-testid={testId}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          className={`menu menu-${align}${below ? ' menu-below' : ''}`}
          ref={list}
          onKeyDown={onKeyDown}
        >
          {items.map((item) => (
            <button
              type="button"
              key={item.id}
              role={
                item.checked !== undefined
                  ? 'menuitemcheckbox'
                  : item.selected !== undefined
                    ? 'menuitemradio'
                    : 'menuitem'
              }
              aria-checked={item.checked ?? item.selected}
              tabIndex={-1}
              className="menu-item"
              data-testid={testId ? `${testId}-item` : undefined}
              data-value={item.id}
              onClick={() => {
                onPick(item.id);
                if (item.checked === undefined) close();
              }}
            >
              <span className="menu-mark">
                {item.icon ? (
                  <Icon name={item.icon} />
                ) : (
                  (item.checked ?? item.selected ?? false) && <Icon name="check" />
                )}
              </span>
              <span className="menu-text">
                <span>{item.label}</span>
                {item.description !== undefined && <span className="quiet">{item.description}</span>}
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
