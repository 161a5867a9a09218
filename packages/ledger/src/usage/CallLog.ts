import type { CallStory, LoggedCalls, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Owner } from "./Usage.ts"

/** The log of an owner's calls. */
export class CallLog extends Context.Service<
  CallLog,
  {
    /** One page, the newest calls first. A page may be empty although there are more. */
    readonly calls: (owner: Owner, query: LoggedCallsQuery) => Effect.Effect<LoggedCalls, Refused>
    /** All that is known of one call, by its request id. Another owner's call is not found. */
    readonly story: (owner: Owner, id: string) => Effect.Effect<CallStory, Refused>
    /** The same, with what only operators see. */
    readonly operatorStory: (account: string, id: string) => Effect.Effect<OperatorCallStory, Refused>
  }
>()("@tollgate/ledger/CallLog") {}
