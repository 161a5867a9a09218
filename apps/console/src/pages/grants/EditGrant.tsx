import { offer } from "@tollgate/client/account"
import type { Client } from "@tollgate/client/Client"
import { type GivenGrant, GrantTerms } from "@tollgate/contract/account/Access"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useState } from "react"
import { ChangeButton, type FormField, Wrong, endField } from "../../ui/ChangeButton.tsx"
import { Check, TextField } from "../../ui/form.tsx"
import { usd } from "../../ui/amounts.ts"
import { Tag } from "../../ui/kit.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import { dateOnly, dayName } from "../../ui/times.ts"
import { accessColumns } from "./access.tsx"

type Failure = { readonly message: string }

/** Names of what can be called, again and again. */
export type Categories = Effect.Effect<ReadonlyArray<string>, Failure, Client>

export const ownCategories: Categories = Effect.map(offer(), ({ operations }) =>
  operations.map(({ category }) => category)
)

type Allowed = GivenGrant["allowed"]

const idsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter(Boolean)

interface AllowedProps {
  readonly load: Categories
  readonly allowed: Allowed
  readonly onChange: (allowed: Allowed) => void
  readonly error: string | undefined
}

/** Everything, or some categories and single operations. */
const AllowedOperations = ({ allowed, error, load, onChange }: AllowedProps) => {
  const { value } = useLoad(load)
  const [ids, setIds] = useState(allowed?.operations.join(", ") ?? "")
  const names = [...new Set(value)].toSorted()
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
export const allowedField = (before: Allowed, load: Categories): FormField => ({
  label: "What it may call",
  initial: JSON.stringify(before),
  read: (text) => {
    const allowed = JSON.parse(text) as Allowed
    const isNothing = allowed !== null && allowed.categories.length + allowed.operations.length === 0
    return isNothing ? new Wrong("Choose at least one category or operation.") : allowed
  },
  render: ({ error, onChange, text }) => (
    <AllowedOperations
      load={load}
      allowed={JSON.parse(text) as Allowed}
      onChange={(allowed) => onChange(JSON.stringify(allowed))}
      error={error}
    />
  )
})

/** A grant as the account or the operator sees it. */
type ShownGrant = Omit<Grant, "account"> & Partial<Pick<GivenGrant, "own">>

/** How one of them changes grants. */
export interface GrantSide {
  readonly categories: Categories
  readonly change: (id: string, terms: GrantTerms) => Effect.Effect<unknown, Failure, Client>
  readonly revoke: (id: string) => Effect.Effect<unknown, Failure, Client>
}

interface GrantProps {
  readonly grant: ShownGrant
  readonly side: GrantSide
  readonly onChanged: () => void
}

/** Changes what an app may call and spend, and how long. */
const EditGrant = ({ grant, onChanged, side }: GrantProps) => (
  <ChangeButton
    label="Change"
    may="changeGrant"
    name={`Change the access of ${grant.client_name}`}
    title={`Change the access of ${grant.client_name}`}
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
            label: "Calls above this need approval, in USD",
            hint: "Empty: none do.",
            initial: usdText(grant.ask_above_micros_usd)
          },
      allowed: allowedField(grant.allowed, side.categories),
      ends_at: endField(`on ${dateOnly(grant.ends_at)}`)
    }}
    submit="Save"
    run={(terms) => side.change(grant.id, terms)}
    onDone={onChanged}
    done={() => `The access of ${grant.client_name} was changed.`}
  />
)

const RevokeGrant = ({ grant, onChanged, side }: GrantProps) => (
  <ChangeButton
    label="Revoke"
    may="revokeGrant"
    name={`Revoke the access of ${grant.client_name}`}
    title={`Revoke the access of ${grant.client_name}?`}
    submit="Revoke"
    danger
    run={() => side.revoke(grant.id)}
    onDone={onChanged}
    done={() => `${grant.client_name} no longer has access.`}
  >
    <p>
      Its access ends at once. What it spent stays charged.{" "}
      {grant.machine ? "Only the operator can make another." : "To return, it must ask again."}
      {grant.own === true ? " This page uses it, so you will be signed out." : ""}
    </p>
  </ChangeButton>
)

const scopeWords: Readonly<Record<string, string>> = {
  use: "call operations",
  usage: "read usage",
  grants: "manage grants",
  openid: "know the account"
}

export const grantColumns = <G extends ShownGrant>(now: number, side: GrantSide, onChanged: () => void) =>
  accessColumns<G>(
    "App",
    now,
    (grant) => ({
      name: grant.client_name,
      mark: (
        <>
          {grant.own === true ? <Tag kind="accent">this page</Tag> : null}
          {grant.machine ? <Tag>service account</Tag> : null}
        </>
      ),
      lines: [
        grant.scopes.map((scope) => scopeWords[scope] ?? scope).join(", "),
        grant.ask_above_micros_usd === null ? "" : `calls above ${usd(grant.ask_above_micros_usd)} need approval`,
        grant.client_id.startsWith("https://") ? `published by ${URL.parse(grant.client_id)?.host}` : "",
        grant.returns_to === null ? "" : `returns to ${grant.returns_to}`
      ].filter(Boolean),
      lastUsed: (at) => `on ${dayName(Date.parse(at) / 1000)}`,
      budget: grant.limit_micros_usd,
      spans: [["today", grant.spent_today_micros_usd, grant.day_limit_micros_usd]]
    }),
    (grant) => (
      <>
        {grant.own === true || !grant.scopes.includes("use") ? null : (
          <EditGrant grant={grant} side={side} onChanged={onChanged} />
        )}
        <RevokeGrant grant={grant} side={side} onChanged={onChanged} />
      </>
    )
  )
