import { changeGrant, offer } from "@tollgate/client/account"
import type { GivenGrant, GrantTerms } from "@tollgate/contract/account/Access"
import type { Amount } from "@tollgate/contract/account/Amount"
import { useCall, useLoad } from "@tollgate/react"
import { type FormEvent, useEffect, useState } from "react"
import { AmountField, Dialog, Field } from "../../ui/form.tsx"
import { Button, ErrorNotice } from "../../ui/kit.tsx"
import { type Parsed, parseUsd, usdText } from "../../ui/parseUsd.ts"
import { dateOnly } from "../../ui/times.ts"
import styles from "./grants.module.css"

const load = offer()
const dayMillis = 86_400_000
const days = [1, 7, 30, 90, 365]

const textOf = (amount: Amount | null): string => (amount === null ? "" : usdText(amount))
const optional = (text: string): Parsed | undefined => (text.trim() === "" ? undefined : parseUsd(text, "zero"))
const microsOf = (parsed: Parsed | undefined): number | null =>
  parsed === undefined || parsed.problem !== undefined ? null : Number(parsed.micros)

interface CategoriesProps {
  readonly chosen: ReadonlyArray<string> | null
  readonly onChange: (chosen: ReadonlyArray<string> | null) => void
}

/** Every category, or some of them. */
const Categories = ({ chosen, onChange }: CategoriesProps) => {
  const { value } = useLoad(load)
  const names = [...new Set((value?.operations ?? []).map(({ category }) => category))].toSorted()
  return (
    <fieldset className={styles["categories"]}>
      <legend>What it may call</legend>
      <label>
        <input type="checkbox" checked={chosen === null} onChange={() => onChange(chosen === null ? [] : null)} />
        Everything
      </label>
      {chosen === null
        ? null
        : names.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
                }
              />
              {name}
            </label>
          ))}
    </fieldset>
  )
}

interface FieldsProps {
  readonly grant: GivenGrant
  readonly busy: boolean
  readonly save: (terms: GrantTerms) => void
  readonly onClose: () => void
}

const Fields = ({ busy, grant, onClose, save }: FieldsProps) => {
  const [limitText, setLimit] = useState(textOf(grant.limit_micros_usd))
  const [dayText, setDay] = useState(textOf(grant.day_limit_micros_usd))
  const [askText, setAsk] = useState(textOf(grant.ask_above_micros_usd))
  const [end, setEnd] = useState("")
  const [categories, setCategories] = useState(grant.allowed?.categories ?? null)
  const [sent, setSent] = useState(false)
  const [limit, day, ask] = [optional(limitText), optional(dayText), optional(askText)]
  const operations = grant.allowed?.operations ?? []
  const nothing = categories !== null && categories.length + operations.length === 0
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (nothing || [limit, day, ask].some((parsed) => parsed?.problem !== undefined)) return
    save({
      limit_micros_usd: microsOf(limit),
      day_limit_micros_usd: microsOf(day),
      ...(grant.machine ? {} : { ask_above_micros_usd: microsOf(ask) }),
      allowed: categories === null ? null : { categories, operations },
      ...(end === "" ? {} : { ends_at: new Date(Date.now() + Number(end) * dayMillis).toISOString() })
    })
  }
  return (
    <form onSubmit={send} noValidate>
      <AmountField
        label="Limit in USD"
        hint="In total, including what it already spent. Empty: no limit."
        error={sent ? limit?.problem : undefined}
        value={limitText}
        onChange={setLimit}
      />
      <AmountField
        label="Daily limit in USD"
        hint="Days are UTC. Empty: no daily limit."
        error={sent ? day?.problem : undefined}
        value={dayText}
        onChange={setDay}
      />
      {grant.machine ? null : (
        <AmountField
          label="Calls above this need your approval, in USD"
          hint="Empty: none do."
          error={sent ? ask?.problem : undefined}
          value={askText}
          onChange={setAsk}
        />
      )}
      <Categories chosen={categories} onChange={setCategories} />
      {operations.length === 0 ? null : <p className="soft small">And these operations: {operations.join(", ")}</p>}
      {sent && nothing ? <p className="wrong">Choose at least one category.</p> : null}
      <Field label="Ends">
        {(control) => (
          <select {...control} value={end} onChange={({ target }) => setEnd(target.value)}>
            <option value="">on {dateOnly(grant.ends_at)}</option>
            {days.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? "in 1 day" : `in ${count} days`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit" busy={busy}>
          Save
        </Button>
      </div>
    </form>
  )
}

const change = ({ id, terms }: { readonly id: string; readonly terms: GrantTerms }) => changeGrant(id, terms)

export interface EditGrantProps {
  readonly grant: GivenGrant
  readonly onChanged: () => void
}

/** Changes what an app may call and spend, and how long. */
export const EditGrant = ({ grant, onChanged }: EditGrantProps) => {
  const [open, setOpen] = useState(false)
  const { call, error, state } = useCall(change)
  useEffect(() => {
    if (state !== "done") return
    setOpen(false)
    onChanged()
  }, [state, onChanged])
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={`Change the grant of ${grant.client_name}`}>
        Change
      </Button>
      <Dialog title={`Change the grant of ${grant.client_name}`} open={open} onClose={() => setOpen(false)}>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <Fields
          grant={grant}
          busy={state === "pending"}
          save={(terms) => call({ id: grant.id, terms })}
          onClose={() => setOpen(false)}
        />
      </Dialog>
    </>
  )
}
