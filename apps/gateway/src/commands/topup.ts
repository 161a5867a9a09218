import { Accounts } from "@tollgate/gateway"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { show } from "./accounts.ts"
import { accountId, entry, json, payment } from "./inputs.ts"
import { inStore } from "./inStore.ts"

export const topup = Command.make(
  "topup",
  { account: accountId, usd: payment, ...entry, json },
  ({ account, id, json, note, usd }) =>
    inStore(
      Accounts.use((accounts) =>
        Effect.flatMap(accounts.topUp(account, usd, note, Option.getOrUndefined(id)), (now) => show(now, json))
      )
    )
).pipe(Command.withDescription("Record a payment, which counts towards the tier"))
