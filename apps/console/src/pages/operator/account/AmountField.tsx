import { Field } from "../../../ui/Field.tsx"

interface AmountFieldProps {
  readonly hint: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The amount of an entry in the books. */
export const AmountField = ({ error, hint, onChange, value }: AmountFieldProps) => (
  <Field label="Amount in USD" hint={hint} error={error}>
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
