import { Field } from "./Field.tsx"

interface AmountFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An amount of USD, as it is typed. */
export const AmountField = ({ error, hint, label, onChange, value }: AmountFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <input
        {...control}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)
