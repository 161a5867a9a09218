import type { BigMicroUsd } from "@tollgate/contract/Money"
import { Accounts } from "@tollgate/gateway"
import { type Key, type KeyTerms, type NewKey, type Period, Shapes } from "@tollgate/gateway/operator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import { givenFlags, accountId, grace, json, keyId, keyTerms, newKeyTerms } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const quotaOf = ({ quota, quotaPeriod }: Key): string =>
  quota === null ? "none" : `${Print.usd(quota)} per ${quotaPeriod}`

const columns: Readonly<Record<string, (key: Key) => string>> = {
  key: ({ id }) => id,
  account: ({ account }) => account,
  label: ({ label }) => label,
  spent: ({ spent }) => Print.usd(spent),
  budget: ({ budget }) => (budget === null ? "none" : Print.usd(budget)),
  quota: quotaOf,
  created: ({ createdAt }) => Shapes.time(createdAt),
  ends: ({ endsAt }) => (endsAt === null ? "never" : Shapes.time(endsAt))
}

const show = (key: Key, json: boolean) => (json ? Print.json(Shapes.key(key)) : Print.record(Print.cells(columns, key)))

const showNew = Effect.fnUntraced(function* (made: NewKey, json: boolean) {
  const key = yield* (yield* Accounts).getKey(made.id)
  if (json) return yield* Print.json(Shapes.newKey(made, key))
  yield* Print.record(Print.cells(columns, key))
  yield* Print.line(`\n${Redacted.value(made.value)}\nThis is the key, shown this once: keep it.`)
})

interface Given {
  readonly label: Option.Option<string>
  readonly budget: Option.Option<BigMicroUsd | null>
  readonly quota: Option.Option<BigMicroUsd | null>
  readonly per: Option.Option<Period>
}

const termsOf = ({ budget, label, per, quota }: Given): Effect.Effect<KeyTerms, CommandError> => {
  const terms: KeyTerms = givenFlags({ budget, label })
  const amount = Option.getOrUndefined(quota)
  if (amount === undefined || amount === null) {
    return Option.isSome(per)
      ? Effect.fail(new CommandError({ message: "--per goes with an amount, such as --quota 5 --per day." }))
      : Effect.succeed(amount === null ? { ...terms, quota: null } : terms)
  }
  return Option.isNone(per)
    ? Effect.fail(new CommandError({ message: "--quota needs its period, --per day or --per month." }))
    : Effect.succeed({ ...terms, quota: { amount, period: per.value } })
}

const create = Command.make(
  "create",
  { account: accountId, ...newKeyTerms, json },
  Effect.fnUntraced(function* ({ account, json, ...given }) {
    const terms = yield* termsOf(given)
    yield* inStore(
      Accounts.use((accounts) => Effect.flatMap(accounts.createKey(account, terms), (made) => showNew(made, json)))
    )
  })
).pipe(Command.withDescription("Create a key for an account and print it once"))

const list = Command.make("list", { account: Argument.optional(accountId), json }, ({ account, json }) =>
  inStore(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const of = Option.getOrUndefined(account)
      if (of !== undefined) yield* accounts.get(of)
      const keys = yield* accounts.listKeys(of)
      yield* json ? Print.json({ keys: keys.map(Shapes.key) }) : Print.table(keys, columns, "There are no keys.")
    })
  )
).pipe(Command.withDescription("List the keys of an account, or all keys"))

const set = Command.make(
  "set",
  { key: keyId, ...keyTerms, json },
  Effect.fnUntraced(function* ({ json, key, ...given }) {
    const terms = yield* termsOf(given)
    if (Object.keys(terms).length === 0) {
      return yield* new CommandError({ message: "Name what to set: --label, --budget, --quota with --per." })
    }
    yield* inStore(Accounts.use((accounts) => Effect.flatMap(accounts.changeKey(key, terms), (now) => show(now, json))))
  })
).pipe(Command.withDescription("Change a key's label, budget or quota"))

const revoke = Command.make("revoke", { key: keyId, json }, ({ json, key }) =>
  inStore(Accounts.use((accounts) => Effect.flatMap(accounts.revokeKey(key), (now) => show(now, json))))
).pipe(Command.withDescription("Revoke a key; a running gateway refuses it within a second"))

const rotate = Command.make("rotate", { key: keyId, grace, json }, ({ grace, json, key }) =>
  inStore(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* showNew(yield* accounts.rotateKey(key, grace * 1000), json)
      const { endsAt } = yield* accounts.getKey(key)
      if (!json && endsAt !== null) yield* Print.line(`The old key, ${key}, ends at ${Shapes.time(endsAt)}.`)
    })
  )
).pipe(
  Command.withDescription("Create a new key with the terms of an old one; the old one stays valid for a grace period")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage keys: budget, quota, revocation and rotation"),
  Command.withSubcommands([create, list, set, revoke, rotate])
)
