import { Machines } from "@tollgate/gateway"
import { isMachineId } from "@tollgate/gateway/driver"
import { Shapes } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { grantPolicy } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { listOf, recordOf, revoke, set, termsOf } from "./grants.ts"
import { accountId, givenFlags, json, machineName, machineTerms } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const create = Command.make(
  "create",
  { account: accountId, name: machineName, ...machineTerms, json },
  Effect.fnUntraced(function* ({ account, json, name, readsUsage, ...flags }) {
    const policy = yield* grantPolicy
    const { days, dayLimit, limit } = policy.proposed
    const terms = yield* termsOf({ days, dayLimit, limit, ...givenFlags(flags) }, policy)
    yield* inStore(
      Effect.gen(function* () {
        const { grant, secret } = yield* (yield* Machines).create({ limit, ...terms, account, name, readsUsage })
        const value = Redacted.value(secret)
        if (json) return yield* Print.json({ ...Shapes.grant(grant), client_secret: value })
        yield* Print.record(recordOf(grant))
        yield* Print.line(
          `\n${grant.client.id}\n${value}\nThese are the client's id and secret. The secret is shown this once: keep it.`
        )
      })
    )
  })
).pipe(
  Command.withDescription(
    "Create a client for a machine and print its secret once; terms that you leave out are the defaults of the consent page"
  ),
  Command.withShortDescription("Create a client and print its secret once")
)

const list = listOf(({ client }) => isMachineId(client.id), "There are no clients for machines.").pipe(
  Command.withDescription("List the clients for machines of an account, or all, including ended ones")
)

export const clients = Command.make("clients").pipe(
  Command.withDescription("Manage clients for machines; they get OAuth tokens with a secret, without a person"),
  Command.withShortDescription("Manage OAuth clients for machines"),
  Command.withSubcommands([create, list, set, revoke])
)
