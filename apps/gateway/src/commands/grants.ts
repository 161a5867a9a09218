import type { BigMicroUsd } from "@tollgate/contract/Money"
import { Accounts, Grants } from "@tollgate/gateway"
import { type GrantPolicy, termsProblems } from "@tollgate/gateway/driver"
import { type Grant, type GrantTerms, Shapes } from "@tollgate/gateway/operator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { grantPolicy } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import { accountId, dayMillis, givenFlags, grantId, grantTerms, json } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const usdOrNone = (amount: BigMicroUsd | null): string => (amount === null ? "none" : Print.usd(amount))

const columns: Readonly<Record<string, (grant: Grant) => string>> = {
  grant: ({ id }) => id,
  account: ({ account }) => account,
  application: ({ client }) => client.name,
  scopes: ({ scopes }) => scopes.join(" "),
  spent: ({ spent }) => Print.usd(spent),
  limit: ({ limit }) => usdOrNone(limit),
  today: ({ spentToday }) => Print.usd(spentToday),
  "per day": ({ dayLimit }) => usdOrNone(dayLimit),
  created: ({ createdAt }) => Shapes.time(createdAt),
  state: ({ ended, endsAt }) => `${ended ? "ended" : "until"} ${Shapes.time(endsAt)}`
}

/** What has no room in a table. */
const more: Readonly<Record<string, (grant: Grant) => string>> = {
  client: ({ client }) => client.id,
  "returns to": ({ returnsTo }) => returnsTo ?? "",
  "ask above": ({ askAbove }) => usdOrNone(askAbove),
  allowed: ({ allowed }) =>
    allowed === null ? "every operation" : [...allowed.categories, ...allowed.operations].join(", ")
}

export const recordOf = (grant: Grant) => ({ ...Print.cells(columns, grant), ...Print.cells(more, grant) })

const show = (grant: Grant, json: boolean) => (json ? Print.json(Shapes.grant(grant)) : Print.record(recordOf(grant)))

/** Lists those that are shown. */
export const listOf = (isShown: (grant: Grant) => boolean, none: string) =>
  Command.make("list", { account: Argument.optional(accountId), json }, ({ account, json }) =>
    inStore(
      Effect.gen(function* () {
        const of = Option.getOrUndefined(account)
        if (of !== undefined) yield* (yield* Accounts).get(of)
        const grants = (yield* (yield* Grants).list(of)).filter(isShown)
        yield* json ? Print.json({ grants: grants.map(Shapes.grant) }) : Print.table(grants, columns, none)
      })
    )
  )

const list = listOf(() => true, "There are no grants.").pipe(
  Command.withDescription("List the grants of an account, or all grants, including ended ones")
)

export const revoke = Command.make("revoke", { grant: grantId, json }, ({ grant, json }) =>
  inStore(
    Effect.gen(function* () {
      const grants = yield* Grants
      yield* grants.revoke(grant)
      const now = yield* grants.find(grant)
      if (Option.isNone(now)) return yield* new CommandError({ message: `There is no grant ${grant}.` })
      yield* show(now.value, json)
    })
  )
).pipe(Command.withDescription("Revoke a grant and all its tokens, at once"))

interface Chosen {
  readonly limit?: BigMicroUsd | null
  readonly dayLimit?: BigMicroUsd | null
  readonly askAbove?: BigMicroUsd | null
  readonly days?: number
  readonly categories?: ReadonlyArray<string>
  readonly operations?: ReadonlyArray<string>
}

/** The terms that were chosen. Nobody can allow more than the configuration file says. */
export const termsOf = Effect.fnUntraced(function* (
  { categories, days, operations, ...amounts }: Chosen,
  policy: GrantPolicy
) {
  const now = yield* Clock.currentTimeMillis
  const chooses = categories !== undefined || operations !== undefined
  const terms: Partial<GrantTerms> = {
    ...amounts,
    ...(days === undefined ? {} : { endsAt: now + days * dayMillis }),
    ...(chooses ? { allowed: { categories: categories ?? [], operations: operations ?? [] } } : {})
  }
  const [problem] = Object.values(termsProblems(policy, terms, now))
  return problem === undefined ? terms : yield* new CommandError({ message: problem })
})

export const set = Command.make(
  "set",
  { grant: grantId, ...grantTerms, json },
  Effect.fnUntraced(function* ({ all, grant, json, ...flags }) {
    const chosen = givenFlags(flags)
    const chooses = chosen.categories !== undefined || chosen.operations !== undefined
    if (all && chooses) return yield* new CommandError({ message: "Name --all, or --categories and --operations." })
    const terms = { ...(yield* termsOf(chosen, yield* grantPolicy)), ...(all ? { allowed: null } : {}) }
    if (Object.keys(terms).length === 0) {
      return yield* new CommandError({
        message: "Name what to set: --limit, --per-day, --ask-above, --days, --categories, --operations or --all."
      })
    }
    yield* inStore(Grants.use((grants) => Effect.flatMap(grants.change(grant, terms), (now) => show(now, json))))
  })
).pipe(Command.withDescription("Change what a grant allows, at once"))

export const grants = Command.make("grants").pipe(
  Command.withDescription("See, change and revoke access that people gave to apps by OAuth"),
  Command.withShortDescription("See, change and revoke access given by OAuth"),
  Command.withSubcommands([list, set, revoke])
)
