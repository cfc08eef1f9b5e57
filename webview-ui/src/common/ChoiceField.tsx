import { Field, type FieldProps } from './Field.tsx';

/** One of a few values, each with its name. */
export function ChoiceField<Value extends string>({
  label,
  hint,
  problem,
  value,
  testId,
  choices,
  onChoice,
}: FieldProps & {
  value: Value;
  testId: string;
  choices: readonly (readonly [value: Value, name: string])[];
  onChoice: (value: Value) => void;
}): React.JSX.Element {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <select
          {...described}
          value={value}
          data-testid={testId}
          onChange={(event) => {
            const chosen = choices.find(([one]) => one === event.target.value);
            if (chosen) onChoice(chosen[0]);
          }}
        >
          {choices.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
