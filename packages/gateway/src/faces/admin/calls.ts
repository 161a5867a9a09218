import type { adminApi } from "@tollgate/contract/admin/adminApi"
import * as Effect from "effect/Effect"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { Usage } from "@tollgate/ledger/usage/Usage"
import type { Handlers } from "../ownApi/ApiRouter.ts"

type Groups = (typeof adminApi)["groups"]

/** An account that does not exist is not found, rather than one without calls. */
export const callHandlers = (accounts: Accounts["Service"], log: CallLog["Service"]): Handlers<Groups["calls"]> => ({
  accountCalls: ({ id, query }) => Effect.andThen(accounts.get(id), log.calls({ account: id }, query)),
  accountCallStory: ({ call, id }) => Effect.andThen(accounts.get(id), log.operatorStory(id, call))
})

export const usageHandlers = (accounts: Accounts["Service"], usage: Usage["Service"]): Handlers<Groups["usage"]> => ({
  accountUsage: ({ id, query }) => Effect.andThen(accounts.get(id), usage.series({ account: id }, query)),
  accountUsageByTag: ({ id, query }) => Effect.andThen(accounts.get(id), usage.byTag({ account: id }, query)),
  usageByTag: ({ query }) => usage.byTag({}, query),
  margin: ({ query }) =>
    query.account === undefined ? usage.margin(query) : Effect.andThen(accounts.get(query.account), usage.margin(query))
})
