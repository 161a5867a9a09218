import { Accounts, type AccountsError } from "@tollgate/gateway"
import { type Account, Shapes } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import {
  givenFlags,
  accountId,
  accountTerms,
  callId,
  correction,
  entry,
  json,
  newLabel,
  partOfCharge,
  payment,
  reasonedEntry
} from "./inputs.ts"
import { inStore } from "./inStore.ts"

const show = (account: Account, json: boolean) =>
  json
    ? Print.json(Shapes.account(account))
    : Print.record({
        account: account.id,
        label: account.label,
        created: Shapes.time(account.createdAt),
        balance: Print.usd(account.balance),
        reserved: Print.usd(account.reserved),
        "topped up": Print.usd(account.toppedUp),
        tier: account.tier,
        rpm: String(account.allowance.rpm),
        tpm: String(account.allowance.tpm),
        concurrency: String(account.allowance.concurrency),
        multiplier: Shapes.multiplier(account.multiplier)
      })

/** Shows the account that the effect returns. */
const shown = (
  json: boolean,
  use: (accounts: Accounts["Service"]) => Effect.Effect<Account, AccountsError | SqlError>
) => inStore(Effect.flatMap(Accounts.use(use), (account) => show(account, json)))

const create = Command.make("create", { label: newLabel, json }, ({ json, label }) =>
  shown(json, (accounts) => accounts.create(label))
).pipe(Command.withDescription("Create an account, with the signup credit"))

const list = Command.make("list", { json }, ({ json }) =>
  inStore(
    Accounts.use((accounts) =>
      Effect.flatMap(accounts.list, (all) =>
        json
          ? Print.json({ accounts: all.map(Shapes.account) })
          : Print.table(
              all,
              {
                account: ({ id }) => id,
                label: ({ label }) => label,
                tier: ({ tier }) => tier,
                balance: ({ balance }) => Print.usd(balance),
                reserved: ({ reserved }) => Print.usd(reserved),
                "topped up": ({ toppedUp }) => Print.usd(toppedUp),
                created: ({ createdAt }) => Shapes.time(createdAt)
              },
              "There are no accounts."
            )
      )
    )
  )
).pipe(Command.withDescription("List all accounts"))

const showOne = Command.make("show", { account: accountId, json }, ({ account, json }) =>
  shown(json, (accounts) => accounts.get(account))
).pipe(Command.withDescription("Show an account's balance, tier and limits"))

const set = Command.make(
  "set",
  { account: accountId, ...accountTerms, json },
  Effect.fnUntraced(function* ({ account, json, ...given }) {
    const terms = givenFlags(given)
    if (Object.keys(terms).length === 0) {
      return yield* new CommandError({ message: `Name what to set: --${Object.keys(accountTerms).join(", --")}.` })
    }
    yield* shown(json, (accounts) => accounts.change(account, terms))
  })
).pipe(Command.withDescription("Change an account's label, tier, limits or price multiplier"))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts: balance, tier, limits and price multiplier"),
  Command.withSubcommands([create, list, showOne, set])
)

export const topup = Command.make(
  "topup",
  { account: accountId, usd: payment, ...entry, json },
  ({ account, id, json, note, usd }) =>
    shown(json, (accounts) => accounts.topUp(account, usd, note, Option.getOrUndefined(id)))
).pipe(Command.withDescription("Record a payment; it counts towards the tier"))

export const adjust = Command.make(
  "adjust",
  { account: accountId, usd: correction, ...entry, json },
  ({ account, id, json, note, usd }) =>
    shown(json, (accounts) => accounts.adjust(account, usd, note, Option.getOrUndefined(id)))
).pipe(Command.withDescription("Change a balance without a payment"))

export const reverse = Command.make(
  "reverse",
  { account: accountId, usd: payment, ...reasonedEntry, json },
  ({ account, id, json, note, usd }) =>
    shown(json, (accounts) => accounts.reverse(account, usd, note, Option.getOrUndefined(id)))
).pipe(Command.withDescription("Reverse a payment, such as after a chargeback"))

export const refund = Command.make(
  "refund",
  { call: callId, usd: partOfCharge, ...reasonedEntry, json },
  ({ call, id, json, note, usd }) =>
    shown(json, (accounts) =>
      accounts.refund(call, note, { amount: Option.getOrUndefined(usd), entry: Option.getOrUndefined(id) })
    )
).pipe(Command.withDescription("Refund what a call was charged, once"))
