import { useId } from 'react';

export interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** What is wrong in it. */
  problem?: string | undefined;
}

/** What an input says of itself to those who cannot see the words around it. */
export interface Described {
  id: string;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}

/** An input with its label above, and below what is wrong in it and a hint. */
export function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { children: (described: Described) => React.ReactNode }): React.JSX.Element {
  const id = useId();
  const below = [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`].filter(
    Boolean,
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(problem === undefined ? {} : { 'aria-invalid': true }),
        ...(below.length > 0 ? { 'aria-describedby': below.join(' ') } : {}),
      })}
      {problem !== undefined && (
        <span className="danger" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
      {hint !== undefined && (
        <span className="quiet" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
