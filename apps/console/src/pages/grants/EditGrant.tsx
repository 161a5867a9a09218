import { changeGrant, offer, revokeGrant } from "@tollgate/client/account"
import { type GivenGrant, GrantTerms } from "@tollgate/contract/account/Access"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { ChangeDialog, type FormField, endField } from "../../ui/ChangeDialog.tsx"
import { Button } from "../../ui/kit.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import { dateOnly } from "../../ui/times.ts"

const load = offer()

interface CategoriesProps {
  /** `*`, or names with commas between them. */
  readonly text: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
}

/** Every category, or some of them. */
const Categories = ({ error, onChange, text }: CategoriesProps) => {
  const { value } = useLoad(load)
  const names = [...new Set((value?.operations ?? []).map(({ category }) => category))].toSorted()
  const chosen = text.split(",").filter(Boolean)
  const choose = (name: string, isChosen: boolean) =>
    onChange((isChosen ? [...chosen, name] : chosen.filter((other) => other !== name)).join(","))
  return (
    <fieldset className="checks">
      <legend>What it may call</legend>
      <label>
        <input type="checkbox" checked={text === "*"} onChange={() => onChange(text === "*" ? "" : "*")} />
        Everything
      </label>
      {text === "*"
        ? null
        : names.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) => choose(name, target.checked)}
              />
              {name}
            </label>
          ))}
      {error === undefined ? null : <p className="wrong">Choose at least one category.</p>}
    </fieldset>
  )
}

const allowedField = ({ allowed }: GivenGrant): FormField => {
  const operations = allowed?.operations ?? []
  return {
    label: "What it may call",
    initial: allowed === null ? "*" : allowed.categories.join(","),
    required: operations.length === 0,
    empty: { categories: [], operations },
    read: (text) => (text === "*" ? null : { categories: text.split(","), operations }),
    render: ({ error, onChange, text }) => (
      <>
        <Categories text={text} onChange={onChange} error={error} />
        {operations.length === 0 ? null : <p className="soft small">And these operations: {operations.join(", ")}</p>}
      </>
    )
  }
}

interface GrantDialogProps {
  readonly grant: GivenGrant
  readonly onChanged: () => void
}

/** Changes what an app may call and spend, and how long. */
export const EditGrant = ({ grant, onChanged }: GrantDialogProps) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={`Change the grant of ${grant.client_name}`}>
        Change
      </Button>
      <ChangeDialog
        title={`Change the grant of ${grant.client_name}`}
        open={open}
        onClose={() => setOpen(false)}
        schema={GrantTerms}
        fields={{
          limit_micros_usd: {
            label: "Budget in USD",
            hint: "In total, including what it already spent. Empty: no budget.",
            kind: "usd",
            initial: usdText(grant.limit_micros_usd),
            empty: null
          },
          day_limit_micros_usd: {
            label: "Daily budget in USD",
            hint: "Resets at midnight UTC. Leave empty for no daily budget.",
            kind: "usd",
            initial: usdText(grant.day_limit_micros_usd),
            empty: null
          },
          ask_above_micros_usd: grant.machine
            ? undefined
            : {
                label: "Calls above this need your approval, in USD",
                hint: "Empty: none do.",
                kind: "usd",
                initial: usdText(grant.ask_above_micros_usd),
                empty: null
              },
          allowed: allowedField(grant),
          ends_at: endField(`on ${dateOnly(grant.ends_at)}`)
        }}
        submit="Save"
        run={(terms) => changeGrant(grant.id, terms)}
        done={() => onChanged()}
      />
    </>
  )
}

/** Ends a grant, after a question. */
export const RevokeGrant = ({ grant, onChanged }: GrantDialogProps) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)} aria-label={`Revoke the grant of ${grant.client_name}`}>
        Revoke
      </Button>
      <ChangeDialog
        title={`Revoke the grant of ${grant.client_name}?`}
        open={open}
        onClose={() => setOpen(false)}
        fields={{}}
        submit="Revoke"
        danger
        run={() => revokeGrant(grant.id)}
        done={() => onChanged()}
      >
        <p>
          Its access ends at once. What it spent stays charged.{" "}
          {grant.machine ? "Only the operator can make another." : "To return, it must ask you again."}
          {grant.own ? " This page uses it, so you will be signed out." : ""}
        </p>
      </ChangeDialog>
    </>
  )
}
