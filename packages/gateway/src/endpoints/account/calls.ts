import type { calls } from "@tollgate/contract/account/LoggedCall"
import type { usage as usageRoutes } from "@tollgate/contract/account/TagUsage"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { Owner, Usage } from "@tollgate/ledger/usage/Usage"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import type { Caller } from "./Caller.ts"

/** Whose calls the caller sees: those of its key and its rotations, or of the account if it is an access token. */
const ownerOfCalls = ({ principal: { account, grant, key, rootKey } }: Caller): Owner =>
  grant === undefined ? { account, key, rootKey } : { account }

export const callHandlers = (log: CallLog["Service"]): Handlers<typeof calls, Caller> => ({
  calls: ({ query }, caller) => log.calls(ownerOfCalls(caller), query),
  callStory: ({ id }, caller) => log.story(ownerOfCalls(caller), id)
})

export const usageHandlers = (usage: Usage["Service"]): Handlers<typeof usageRoutes, Caller> => ({
  usageSeries: ({ query }, caller) => usage.series(ownerOfCalls(caller), query),
  usageByTag: ({ query }, caller) => usage.byTag(ownerOfCalls(caller), query)
})
