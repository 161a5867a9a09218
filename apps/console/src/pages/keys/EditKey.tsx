import type { Client } from "@tollgate/client/Client"
import { KeyTerms, type OwnKey, Rotation } from "@tollgate/contract/account/Key"
import type { Key } from "@tollgate/contract/admin/Account"
import { useLoad } from "@tollgate/react/effect"
import type * as Effect from "effect/Effect"
import { ChangeButton, endField, type FormField } from "../../ui/ChangeButton.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import type { Description } from "../../ui/readForm.ts"
import { Empty, Tag } from "../../ui/kit.tsx"
import { useSecrets } from "../../ui/Secrets.tsx"
import { ago, dateOnly, useNow } from "../../ui/times.ts"
import { accessColumns } from "../grants/access.tsx"
import { allowedField, type Categories } from "../grants/EditGrant.tsx"

/** A key as its account or the operator sees it. */
type ShownKey = Omit<Key, "account"> & Partial<Pick<OwnKey, "own">>
type NewKey = ShownKey & { readonly key: string }

type Change<A> = Effect.Effect<A, { readonly message: string }, Client>

/** How one of them reads and changes keys. */
export interface KeySide<A extends { readonly keys: ReadonlyArray<ShownKey> }> {
  readonly load: Change<A>
  readonly categories: Categories
  readonly create: (terms: KeyTerms) => Change<NewKey>
  readonly change: (id: string, terms: KeyTerms) => Change<ShownKey>
  readonly rotate: (id: string, grace: number | undefined) => Change<NewKey>
  readonly revoke: (key: ShownKey, isLast: boolean) => Change<ShownKey>
}

type AnySide = Omit<KeySide<never>, "load">

/** Names, one in each line or separated by commas. */
const namesField = (label: string, hint: string, names: ReadonlyArray<string> | null = null): FormField => ({
  label,
  hint,
  initial: names?.join(", ") ?? "",
  empty: null,
  read: (text) => [...new Set(text.split(/[\s,]+/).filter(Boolean))]
})

const budget = (label: string, amount: OwnKey["budget_micros_usd"] | undefined, hint: string): FormField => ({
  label,
  hint,
  initial: usdText(amount)
})

const never = ["never", "never"] as const

const ends = (key?: ShownKey): FormField => {
  const { options = [], read, ...field } = endField(key?.ends_at == null ? "never" : `on ${dateOnly(key.ends_at)}`)
  return {
    ...field,
    options: key?.ends_at == null ? options : [...options, never],
    read: (text) => (text === "never" ? null : read?.(text))
  }
}

/** What a key is called, may spend and may do: of a new one, or of one that is changed. `own`: only its label. */
const termsOf = (categories: Categories, key?: ShownKey, folded = key === undefined): Description<KeyTerms> => ({
  schema: KeyTerms,
  changedOnly: key !== undefined,
  fields: {
    label: { label: "Label", hint: "Where the key is used.", initial: key?.label ?? "", required: true },
    ...(key?.own === true
      ? {}
      : {
          budget_micros_usd: budget(
            "Budget in USD",
            key?.budget_micros_usd,
            `In total${folded ? "" : ", including earlier keys it replaced"}. Empty: no budget.`
          ),
          day_budget_micros_usd: {
            ...budget("Budget for a day", key?.day_budget_micros_usd, "In USD, until midnight UTC."),
            half: true,
            folded
          },
          month_budget_micros_usd: {
            ...budget("Budget for a month", key?.month_budget_micros_usd, "In USD, until it ends, in UTC."),
            half: true,
            folded
          },
          ends_at: { ...ends(key), folded },
          allowed: { ...allowedField(key?.allowed ?? null, categories), folded },
          models: { ...namesField("Models", "Their names, separated by commas. Empty: all.", key?.models), folded },
          addresses: {
            ...namesField(
              "Addresses it may be used from",
              "IP addresses or networks, such as 203.0.113.0/24. Empty: all.",
              key?.addresses
            ),
            folded
          }
        })
  }
})

const graces = [
  ["0", "No time: it ends within a second"],
  ["3600", "One hour"],
  ["86400", "One day"],
  ["604800", "Seven days"],
  ["2592000", "Thirty days"]
] as const

interface KeyProps {
  readonly of: ShownKey
  readonly side: AnySide
  /** No other key can change keys and sign in. */
  readonly isLast: boolean
  readonly onChanged: () => void
  /** Takes the key that is new. */
  readonly onMade: (key: NewKey) => void
}

const nameOf = ({ id, label }: Pick<OwnKey, "id" | "label">): string => (label === "" ? id : label)

const KeyActions = ({ isLast, of, onChanged, onMade, side }: KeyProps) => {
  const name = nameOf(of)
  return (
    <>
      <ChangeButton
        label="Change"
        may="changeKey"
        name={`Change ${name}`}
        title="Change the key"
        {...termsOf(side.categories, of)}
        submit="Save the key"
        run={(terms) => side.change(of.id, terms)}
        onDone={onChanged}
        done={(key) => `The key ${nameOf(key)} was saved.`}
      >
        {of.own === true ? <p>You are signed in with this key. Another key of the account can limit it.</p> : null}
      </ChangeButton>
      <ChangeButton
        label="Rotate"
        may="rotateKey"
        name={`Rotate ${name}`}
        title="Rotate the key"
        schema={Rotation}
        fields={{
          grace_seconds: {
            label: "Keep the old key working for",
            // This page ends with its key, and with it the only sight of the new one.
            options: of.own === true ? graces.slice(1) : graces,
            initial: "86400"
          }
        }}
        submit="Rotate the key"
        danger={({ grace_seconds: grace }) => grace === 0}
        run={({ grace_seconds: grace }) => side.rotate(of.id, grace)}
        onDone={onMade}
        done={(key) => `The key ${nameOf(key)} was rotated. Store the new one now.`}
      >
        <p>
          A new key takes the place of{" "}
          <strong>
            <bdi>{name}</bdi>
          </strong>
          , with the same terms. Spending so far still counts.
          {of.own === true ? " You are signed in with the old one, so you will be signed out when it ends." : ""}
        </p>
      </ChangeButton>
      <ChangeButton
        label="Revoke"
        may="revokeKey"
        name={`Revoke ${name}`}
        title="Revoke the key"
        submit={isLast ? "Revoke the last key" : "Revoke the key"}
        danger
        run={() => side.revoke(of, isLast)}
        onDone={onChanged}
        done={(key) => `The key ${nameOf(key)} was revoked.`}
      >
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          stops working within a second, for every program that uses it. This cannot be undone.
        </p>
        {isLast ? (
          <p>
            <strong>It is the last key that can change keys and sign in.</strong> After it, only the operator can make
            one.
          </p>
        ) : null}
        {of.own === true ? <p>You are signed in with this key, so you will be signed out.</p> : null}
      </ChangeButton>
    </>
  )
}

/** Only such a key signs in and changes keys. */
const isUnlimited = (key: ShownKey): boolean =>
  [key.budget_micros_usd, key.day_budget_micros_usd, key.month_budget_micros_usd].every((limit) => limit === null) &&
  [key.ends_at, key.allowed, key.models, key.addresses].every((limit) => limit === null)

/** The account's keys. A new key stays here until it is put away, whatever is closed in the meantime. */
export const useKeys = <A extends { readonly keys: ReadonlyArray<ShownKey> }>(side: KeySide<A>) => {
  const loaded = useLoad(side.load, { every: "10 seconds" })
  const now = useNow(10_000)
  const { keep, notices } = useSecrets()
  const onMade = (made: NewKey) => {
    keep({
      id: made.id,
      title: (
        <>
          The new key <bdi>{nameOf(made)}</bdi>
        </>
      ),
      texts: [["Copy the key", made.key]]
    })
    loaded.refresh()
  }
  const unlimited = loaded.value?.keys.filter(isUnlimited) ?? []
  const columns = accessColumns<ShownKey>(
    "Key",
    now,
    (key) => ({
      name: key.label === "" ? "No label" : key.label,
      mark: key.own === true ? <Tag kind="accent">signed in</Tag> : null,
      lines: [
        key.models === null ? "" : `models ${key.models.join(", ")}`,
        key.addresses === null ? "" : `from ${key.addresses.join(", ")}`
      ].filter(Boolean),
      lastUsed: (at) => ago(at, now),
      budget: key.budget_micros_usd,
      spans: [
        ["today", key.spent_today_micros_usd, key.day_budget_micros_usd],
        ["this month", key.spent_this_month_micros_usd, key.month_budget_micros_usd]
      ]
    }),
    (key) => (
      <KeyActions
        of={key}
        side={side}
        // The operator can make another.
        isLast={key.own !== undefined && unlimited.length === 1 && unlimited[0]?.id === key.id}
        onChanged={loaded.refresh}
        onMade={onMade}
      />
    )
  )
  return {
    loaded,
    notices,
    create: (
      <ChangeButton
        label="Create a key"
        may="createKey"
        ask="an owner or somebody in support"
        kind="main"
        {...termsOf(side.categories)}
        submit="Create the key"
        run={side.create}
        onDone={onMade}
        done={(key) => `The key ${nameOf(key)} was created. Store it now.`}
      />
    ),
    table: {
      columns,
      rows: ({ keys }: A) => keys,
      keyOf: ({ id }: ShownKey) => id,
      empty: (
        <Empty title="The account has no key">
          <p>Programs send a key with each call.</p>
        </Empty>
      )
    }
  }
}
