import { changeGrant, offer, revokeGrant } from "@tollgate/client/account"
import { type GivenGrant, GrantTerms } from "@tollgate/contract/account/Access"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { ChangeButton, type FormField, Wrong, endField } from "../../ui/ChangeButton.tsx"
import { Check, TextField } from "../../ui/form.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import { dateOnly } from "../../ui/times.ts"

const load = offer()

type Allowed = GivenGrant["allowed"]

const idsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter(Boolean)

interface AllowedProps {
  readonly allowed: Allowed
  readonly onChange: (allowed: Allowed) => void
  readonly error: string | undefined
}

/** Everything, or some categories and single operations. */
const AllowedOperations = ({ allowed, error, onChange }: AllowedProps) => {
  const { value } = useLoad(load)
  const [ids, setIds] = useState(allowed?.operations.join(", ") ?? "")
  const names = [...new Set((value?.operations ?? []).map(({ category }) => category))].toSorted()
  const { categories = [] } = allowed ?? {}
  const choose = (categories: ReadonlyArray<string>, ids: string) => onChange({ categories, operations: idsIn(ids) })
  return (
    <>
      <fieldset className="checks">
        <legend>What it may call</legend>
        <Check checked={allowed === null} onChange={(checked) => (checked ? onChange(null) : choose([], ids))}>
          Everything
        </Check>
        {allowed === null
          ? null
          : names.map((name) => (
              <Check
                key={name}
                checked={categories.includes(name)}
                onChange={(checked) =>
                  choose(checked ? [...categories, name] : categories.filter((other) => other !== name), ids)
                }
              >
                {name}
              </Check>
            ))}
      </fieldset>
      {allowed === null ? null : (
        <TextField
          label="Single operations"
          hint="Their ids, separated by commas."
          error={error}
          value={ids}
          onChange={(text) => {
            setIds(text)
            choose(categories, text)
          }}
        />
      )}
    </>
  )
}

/** What a grant or a key may call. */
export const allowedField = (before: Allowed): FormField => ({
  label: "What it may call",
  initial: JSON.stringify(before),
  read: (text) => {
    const allowed = JSON.parse(text) as Allowed
    const isNothing = allowed !== null && allowed.categories.length + allowed.operations.length === 0
    return isNothing ? new Wrong("Choose at least one category or operation.") : allowed
  },
  render: ({ error, onChange, text }) => (
    <AllowedOperations
      allowed={JSON.parse(text) as Allowed}
      onChange={(allowed) => onChange(JSON.stringify(allowed))}
      error={error}
    />
  )
})

interface GrantProps {
  readonly grant: GivenGrant
  readonly onChanged: () => void
}

/** Changes what an app may call and spend, and how long. */
export const EditGrant = ({ grant, onChanged }: GrantProps) => (
  <ChangeButton
    label="Change"
    name={`Change the grant of ${grant.client_name}`}
    title={`Change the grant of ${grant.client_name}`}
    schema={GrantTerms}
    fields={{
      limit_micros_usd: {
        label: "Budget in USD",
        hint: "In total, including what it already spent. Empty: no budget.",
        initial: usdText(grant.limit_micros_usd)
      },
      day_limit_micros_usd: {
        label: "Daily budget in USD",
        hint: "Resets at midnight UTC. Leave empty for no daily budget.",
        initial: usdText(grant.day_limit_micros_usd)
      },
      ask_above_micros_usd: grant.machine
        ? undefined
        : {
            label: "Calls above this need your approval, in USD",
            hint: "Empty: none do.",
            initial: usdText(grant.ask_above_micros_usd)
          },
      allowed: allowedField(grant.allowed),
      ends_at: endField(`on ${dateOnly(grant.ends_at)}`)
    }}
    submit="Save"
    run={(terms) => changeGrant(grant.id, terms)}
    onDone={onChanged}
  />
)

export const RevokeGrant = ({ grant, onChanged }: GrantProps) => (
  <ChangeButton
    label="Revoke"
    name={`Revoke the grant of ${grant.client_name}`}
    title={`Revoke the grant of ${grant.client_name}?`}
    submit="Revoke"
    danger
    run={() => revokeGrant(grant.id)}
    onDone={onChanged}
  >
    <p>
      Its access ends at once. What it spent stays charged.{" "}
      {grant.machine ? "Only the operator can make another." : "To return, it must ask you again."}
      {grant.own ? " This page uses it, so you will be signed out." : ""}
    </p>
  </ChangeButton>
)
