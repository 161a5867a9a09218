import { Accounts, Grants } from "@tollgate/gateway"
import { type Grant, Shapes } from "@tollgate/gateway/operator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Print from "../terminal/print.ts"
import { CommandError } from "../terminal/print.ts"
import { accountId, grantId, json } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const columns: Readonly<Record<string, (grant: Grant) => string>> = {
  grant: ({ id }) => id,
  account: ({ account }) => account,
  application: ({ client }) => client.name,
  scopes: ({ scopes }) => scopes.join(" "),
  spent: ({ spent }) => Print.usd(spent),
  limit: ({ limit }) => (limit === null ? "none" : Print.usd(limit)),
  created: ({ createdAt }) => Shapes.time(createdAt),
  state: ({ ended, endsAt }) => `${ended ? "ended" : "until"} ${Shapes.time(endsAt)}`
}

const list = Command.make("list", { account: Argument.optional(accountId), json }, ({ account, json }) =>
  inStore(
    Effect.gen(function* () {
      const of = Option.getOrUndefined(account)
      if (of !== undefined) yield* (yield* Accounts).get(of)
      const grants = yield* (yield* Grants).list(of)
      yield* json
        ? Print.json({ grants: grants.map(Shapes.grant) })
        : Print.table(grants, columns, "There are no grants.")
    })
  )
).pipe(Command.withDescription("List the grants of an account, or all grants, also those that have ended"))

const revoke = Command.make("revoke", { grant: grantId, json }, ({ grant, json }) =>
  inStore(
    Effect.gen(function* () {
      const grants = yield* Grants
      yield* grants.revoke(grant)
      const now = yield* grants.find(grant)
      if (Option.isNone(now)) return yield* new CommandError({ message: `There is no grant ${grant}.` })
      yield* json
        ? Print.json(Shapes.grant(now.value))
        : Print.record({ ...Print.cells(columns, now.value), client: now.value.client.id })
    })
  )
).pipe(Command.withDescription("End a grant and all its tokens, at once"))

export const grants = Command.make("grants").pipe(
  Command.withDescription("See and take back what people gave to applications by OAuth"),
  Command.withSubcommands([list, revoke])
)
