import type { Key } from "@tollgate/contract/admin/Account"
import type { KeyTerms } from "@tollgate/contract/admin/Terms"
import { useState } from "react"
import { Field } from "../../../ui/form.tsx"
import { Form } from "../parts/FormDialog.tsx"
import { labelProblem } from "../parts/labelProblem.ts"
import { type Parsed, parseUsd, usdText } from "../../../ui/parseUsd.ts"
import type { Change } from "../parts/useChange.ts"
import styles from "../operator.module.css"

const optional = (text: string): Parsed | undefined => (text.trim() === "" ? undefined : parseUsd(text, "zero"))

const microsOf = (parsed: Parsed | undefined): number | null =>
  parsed === undefined || parsed.problem !== undefined ? null : Number(parsed.micros)

interface KeyTermsFieldsProps {
  /** The key that is changed. `undefined`: a new one. */
  readonly of?: Key
  readonly submit: string
  readonly change: Change
  readonly save: (terms: KeyTerms) => void
  readonly onClose: () => void
}

/** Label, budget and quota of a key. */
export const KeyTermsFields = ({ change, of, onClose, save, submit }: KeyTermsFieldsProps) => {
  const [label, setLabel] = useState(of?.label ?? "")
  const [budgetText, setBudget] = useState(of?.budget_micros_usd == null ? "" : usdText(of.budget_micros_usd))
  const [quotaText, setQuota] = useState(of?.quota == null ? "" : usdText(of.quota.amount_micros_usd))
  const [period, setPeriod] = useState<"day" | "month">(of?.quota?.period === "month" ? "month" : "day")
  const [sent, setSent] = useState(false)
  const budget = optional(budgetText)
  const quota = optional(quotaText)
  const wrong = { label: labelProblem(label.trim()), budget: budget?.problem, quota: quota?.problem }
  const send = () => {
    setSent(true)
    if (Object.values(wrong).some((problem) => problem !== undefined)) return
    const amount = microsOf(quota)
    save({
      label: label.trim(),
      budget_micros_usd: microsOf(budget),
      quota: amount === null ? null : { amount_micros_usd: amount, period }
    })
  }
  return (
    <Form change={change} onClose={onClose} onSubmit={send} submit={submit}>
      <Field label="Label" hint="Where the key is used." error={sent ? wrong.label : undefined}>
        {(control) => <input {...control} value={label} onChange={({ target }) => setLabel(target.value)} />}
      </Field>
      <Field
        label="Budget in USD"
        hint="The most it may spend in total, including earlier keys it replaced. Empty: no budget."
        error={sent ? wrong.budget : undefined}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={budgetText}
            onChange={({ target }) => setBudget(target.value)}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label="Quota in USD" hint="Empty: no quota." error={sent ? wrong.quota : undefined}>
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              value={quotaText}
              onChange={({ target }) => setQuota(target.value)}
            />
          )}
        </Field>
        <Field label="For each">
          {(control) => (
            <select
              {...control}
              value={period}
              onChange={({ target }) => setPeriod(target.value === "month" ? "month" : "day")}
            >
              <option value="day">Day</option>
              <option value="month">Month</option>
            </select>
          )}
        </Field>
      </div>
    </Form>
  )
}
