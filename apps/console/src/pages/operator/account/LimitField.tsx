import { count } from "../../../ui/amounts.ts"
import { Field } from "../../../ui/Field.tsx"
import styles from "../operator.module.css"

const modes = ["keep", "tier", "own"] as const
type Mode = (typeof modes)[number]

export interface LimitText {
  readonly mode: Mode
  readonly text: string
}

export const keep: LimitText = { mode: "keep", text: "" }

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

/** The limit to send: `undefined` leaves it, `null` gives it back to the tier. */
export const limitOf = ({ mode, text }: LimitText): { readonly value?: number | null; readonly problem?: string } => {
  if (mode === "keep") return {}
  if (mode === "tier") return { value: null }
  return /^0*[1-9]\d{0,8}$|^0*1000000000$/.test(text.trim())
    ? { value: Number(text.trim()) }
    : { problem: "A whole number from 1 to 1000000000" }
}

interface LimitFieldProps {
  readonly label: string
  readonly now: number
  readonly value: LimitText
  readonly sent: boolean
  readonly onChange: (value: LimitText) => void
}

/** A limit that is left, given back to the tier, or set. */
export const LimitField = ({ label, now, onChange, sent, value }: LimitFieldProps) => (
  <Field label={label} error={sent ? limitOf(value).problem : undefined}>
    {({ id, ...control }) => (
      <div className={styles.pair}>
        <select
          id={id}
          value={value.mode}
          onChange={({ target }) => isMode(target.value) && onChange({ ...value, mode: target.value })}
        >
          <option value="keep">Unchanged: {count(now)}</option>
          <option value="tier">That of the tier</option>
          <option value="own">Its own</option>
        </select>
        {value.mode === "own" ? (
          <input
            {...control}
            aria-label={`${label}, its own`}
            inputMode="numeric"
            value={value.text}
            onChange={({ target }) => onChange({ ...value, text: target.value })}
          />
        ) : null}
      </div>
    )}
  </Field>
)
