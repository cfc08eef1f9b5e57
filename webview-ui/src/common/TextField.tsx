import { Field, type FieldProps } from './Field.tsx';

type InputProps = Omit<React.ComponentProps<'input'>, 'id' | 'value' | 'onChange'>;

/** One line of text. */
export function TextField({
  label,
  hint,
  problem,
  value,
  testId,
  onText,
  ...input
}: FieldProps & InputProps & TextProps): React.JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <input
          {...described}
          {...input}
          value={value}
          data-testid={testId}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface TextProps {
  value: string;
  testId: string;
  onText: (text: string) => void;
}
