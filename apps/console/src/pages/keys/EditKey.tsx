import { changeKey, revokeKey, rotateKey } from "@tollgate/client/account"
import { KeyTerms, type NewOwnKey, type OwnKey, Rotation } from "@tollgate/contract/account/Key"
import { ChangeButton, endField, type FormField } from "../../ui/ChangeButton.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import type { Description } from "../../ui/readForm.ts"
import { dateOnly } from "../../ui/times.ts"
import { allowedField } from "../grants/EditGrant.tsx"

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

const ends = (key?: OwnKey): FormField => {
  const { options = [], read, ...field } = endField(key?.ends_at == null ? "never" : `on ${dateOnly(key.ends_at)}`)
  return {
    ...field,
    options: key?.ends_at == null ? options : [...options, never],
    read: (text) => (text === "never" ? null : read?.(text))
  }
}

/** What a key is called, may spend and may do: of a new one, or of one that is changed. `own`: only its label. */
export const termsOf = (key?: OwnKey): Description<KeyTerms> => ({
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
            "In total, including earlier keys it replaced. Empty: no budget."
          ),
          day_budget_micros_usd: {
            ...budget("Budget for a day", key?.day_budget_micros_usd, "In USD, until midnight UTC."),
            half: true
          },
          month_budget_micros_usd: {
            ...budget("Budget for a month", key?.month_budget_micros_usd, "In USD, until it ends, in UTC."),
            half: true
          },
          ends_at: ends(key),
          allowed: allowedField(key?.allowed ?? null),
          models: namesField("Models", "Their names, separated by commas. Empty: all.", key?.models),
          addresses: namesField(
            "Addresses it may be used from",
            "IP addresses or networks, such as 203.0.113.0/24. Empty: all.",
            key?.addresses
          )
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
  readonly of: OwnKey
  /** No other key can change keys and sign in. */
  readonly isLast: boolean
  readonly onChanged: () => void
  /** Takes the key that is new. */
  readonly onMade: (key: NewOwnKey) => void
}

export const nameOf = ({ id, label }: Pick<OwnKey, "id" | "label">): string => (label === "" ? id : label)

export const KeyActions = ({ isLast, of, onChanged, onMade }: KeyProps) => {
  const name = nameOf(of)
  return (
    <>
      <ChangeButton
        label="Change"
        name={`Change ${name}`}
        title="Change the key"
        {...termsOf(of)}
        submit="Save the key"
        run={(terms) => changeKey(of.id, terms)}
        onDone={onChanged}
        done={(key) => `The key ${nameOf(key)} was saved.`}
      >
        {of.own ? <p>You are signed in with this key. Another key of the account can limit it.</p> : null}
      </ChangeButton>
      <ChangeButton
        label="Rotate"
        name={`Rotate ${name}`}
        title="Rotate the key"
        schema={Rotation}
        fields={{
          grace_seconds: {
            label: "Keep the old key working for",
            // This page ends with its key, and with it the only sight of the new one.
            options: of.own ? graces.slice(1) : graces,
            initial: "86400"
          }
        }}
        submit="Rotate the key"
        danger={({ grace_seconds: grace }) => grace === 0}
        run={({ grace_seconds: grace }) => rotateKey(of.id, grace)}
        onDone={onMade}
        done={(key) => `The key ${nameOf(key)} was rotated. Store the new one now.`}
      >
        <p>
          A new key takes the place of{" "}
          <strong>
            <bdi>{name}</bdi>
          </strong>
          , with the same terms. Spending so far still counts.
          {of.own ? " You are signed in with the old one, so you will be signed out when it ends." : ""}
        </p>
      </ChangeButton>
      <ChangeButton
        label="Revoke"
        name={`Revoke ${name}`}
        title="Revoke the key"
        submit={isLast ? "Revoke the last key" : "Revoke the key"}
        danger
        run={() => revokeKey(of.id, of.own || isLast)}
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
        {of.own ? <p>You are signed in with this key, so you will be signed out.</p> : null}
      </ChangeButton>
    </>
  )
}
