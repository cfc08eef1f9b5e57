/** A codicon. Decoration only: the words beside it or its button's label say what it means. */
export function Icon({ name, spin = false }: { name: string; spin?: boolean }): React.JSX.Element {
  return <span className={`codicon codicon-${name}${spin ? ' spin' : ''}`} aria-hidden="true" />;
}
