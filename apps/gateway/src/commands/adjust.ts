import { Accounts } from "@tollgate/gateway"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { show } from "./accounts.ts"
import { accountId, correction, entry, json } from "./inputs.ts"
import { inStore } from "./inStore.ts"

export const adjust = Command.make(
  "adjust",
  { account: accountId, usd: correction, ...entry, json },
  ({ account, id, json, note, usd }) =>
    inStore(
      Accounts.use((accounts) =>
        Effect.flatMap(accounts.adjust(account, usd, note, Option.getOrUndefined(id)), (now) => show(now, json))
      )
    )
).pipe(Command.withDescription("Change a balance without a payment"))
