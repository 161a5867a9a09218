import { changeAccount } from "@tollgate/client/admin"
import type { Account } from "@tollgate/contract/admin/Account"
import type { AccountTerms } from "@tollgate/contract/admin/Terms"
import { useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Field } from "../../../ui/form.tsx"
import styles from "../operator.module.css"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { labelProblem } from "../parts/labelProblem.ts"
import { useSay } from "../parts/Say.tsx"
import { type Change, useChange } from "../parts/useChange.ts"

const modes = ["keep", "tier", "own"] as const
type Mode = (typeof modes)[number]

interface LimitText {
  readonly mode: Mode
  readonly text: string
}

const keep: LimitText = { mode: "keep", text: "" }

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

/** The limit to send: `undefined` leaves it, `null` gives it back to the tier. */
const limitOf = ({ mode, text }: LimitText): { readonly value?: number | null; readonly problem?: string } => {
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
const LimitField = ({ label, now, onChange, sent, value }: LimitFieldProps) => (
  <Field label={label} error={sent ? limitOf(value).problem : undefined}>
    {({ id, ...control }) => (
      <div className={styles.pair}>
        <select
          id={id}
          value={value.mode}
          onChange={({ target }) => isMode(target.value) && onChange({ ...value, mode: target.value })}
        >
          <option value="keep">Unchanged: {count(now)}</option>
          <option value="tier">From the tier</option>
          <option value="own">Custom</option>
        </select>
        {value.mode === "own" ? (
          <input
            {...control}
            aria-label={`${label}, custom`}
            inputMode="numeric"
            value={value.text}
            onChange={({ target }) => onChange({ ...value, text: target.value })}
          />
        ) : null}
      </div>
    )}
  </Field>
)

const tiers = ["Free", "Starter", "Growth", "Enterprise"] as const
type TierChoice = "keep" | "auto" | (typeof tiers)[number]

const isChoice = (text: string): text is TierChoice =>
  text === "keep" || text === "auto" || tiers.some((tier) => tier === text)

const multiplierProblem = (text: string): string | undefined =>
  /^\d{1,9}(\.\d{1,6})?$/.test(text) ? undefined : "A decimal with up to six places, such as 1.45"

interface FieldsProps {
  readonly account: Account
  readonly change: Change
  readonly save: (terms: AccountTerms) => void
  readonly onClose: () => void
}

const Fields = ({ account, change, onClose, save }: FieldsProps) => {
  const [label, setLabel] = useState(account.label)
  const [tier, setTier] = useState<TierChoice>("keep")
  const [multiplier, setMultiplier] = useState(account.multiplier)
  const [rpm, setRpm] = useState<LimitText>(keep)
  const [tpm, setTpm] = useState<LimitText>(keep)
  const [concurrency, setConcurrency] = useState<LimitText>(keep)
  const [sent, setSent] = useState(false)
  const limits = { rpm: limitOf(rpm), tpm: limitOf(tpm), concurrency: limitOf(concurrency) }
  const problems = [labelProblem(label.trim()), multiplierProblem(multiplier.trim())]
  const send = () => {
    setSent(true)
    const wrong = [...problems, ...Object.values(limits).map(({ problem }) => problem)]
    if (wrong.some((problem) => problem !== undefined)) return
    save({
      ...(label.trim() === account.label ? {} : { label: label.trim() }),
      ...(tier === "keep" ? {} : { tier: tier === "auto" ? null : tier }),
      ...(multiplier.trim() === account.multiplier ? {} : { multiplier: multiplier.trim() }),
      ...(limits.rpm.value === undefined ? {} : { rpm: limits.rpm.value }),
      ...(limits.tpm.value === undefined ? {} : { tpm: limits.tpm.value }),
      ...(limits.concurrency.value === undefined ? {} : { concurrency: limits.concurrency.value })
    })
  }
  return (
    <Form change={change} onClose={onClose} onSubmit={send} submit="Save the terms">
      <Field label="Label" error={sent ? problems[0] : undefined}>
        {(control) => <input {...control} value={label} onChange={({ target }) => setLabel(target.value)} />}
      </Field>
      <div className={styles.pair}>
        <Field label="Tier">
          {(control) => (
            <select
              {...control}
              value={tier}
              onChange={({ target }) => isChoice(target.value) && setTier(target.value)}
            >
              <option value="keep">Unchanged: {account.tier}</option>
              <option value="auto">From top-ups</option>
              {tiers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Multiplier"
          hint="The charge is the list price times this."
          error={sent ? problems[1] : undefined}
        >
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              value={multiplier}
              onChange={({ target }) => setMultiplier(target.value)}
            />
          )}
        </Field>
      </div>
      <LimitField label="Requests per minute" now={account.rpm} value={rpm} onChange={setRpm} sent={sent} />
      <LimitField label="Tokens per minute" now={account.tpm} value={tpm} onChange={setTpm} sent={sent} />
      <LimitField
        label="Calls at once"
        now={account.concurrency}
        value={concurrency}
        onChange={setConcurrency}
        sent={sent}
      />
    </Form>
  )
}

interface TermsDialogProps {
  readonly account: Account
  readonly open: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Tier, limits and price of one account. */
export const TermsDialog = ({ account, onClose, onDone, open }: TermsDialogProps) => {
  const change = useChange()
  const say = useSay()
  const save = (terms: AccountTerms) =>
    change.run(changeAccount(account.id, terms), () => {
      onClose()
      onDone()
      say("The terms were saved.")
    })
  return (
    <FormDialog title="Change terms" open={open} change={change} onClose={onClose}>
      <Fields account={account} change={change} save={save} onClose={onClose} />
    </FormDialog>
  )
}
