import { Field, type FieldProps } from './Field.tsx';
import type { TextProps } from './TextField.tsx';

/** Several lines of prose. */
export function LongField({
  label,
  hint,
  problem,
  value,
  testId,
  rows,
  onText,
}: FieldProps & TextProps & { rows: number }): React.JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <textarea
          {...described}
          rows={rows}
          value={value}
          dir="auto"
          data-testid={testId}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}
