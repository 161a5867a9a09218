import * as Effect from "effect/Effect"
import type { Accounts } from "../../books/account/Accounts.ts"
import type { CallLog } from "../../books/usage/CallLog.ts"
import type { Usage } from "../../books/usage/Usage.ts"
import { CallsQuery, parametersOf, SeriesQuery, TagUsageQuery } from "../account/calls.ts"
import { get, ok, type Route } from "./Route.ts"

/** The calls of a whole account, in the shapes of the account's own API. */
export const callRoutes = (accounts: Accounts["Service"], log: CallLog["Service"]): ReadonlyArray<Route> => [
  get(
    "/accounts/:id/calls",
    Effect.fnUntraced(function* (account, query) {
      yield* accounts.get(account)
      return ok(yield* log.calls({ account }, yield* parametersOf(CallsQuery, query)))
    })
  ),
  get(
    "/accounts/:id/calls/:call",
    Effect.fnUntraced(function* (account, _, call) {
      yield* accounts.get(account)
      return ok(yield* log.story({ account }, call))
    })
  )
]

export const usageRoutes = (accounts: Accounts["Service"], usage: Usage["Service"]): ReadonlyArray<Route> => [
  get(
    "/accounts/:id/usage",
    Effect.fnUntraced(function* (account, query) {
      yield* accounts.get(account)
      return ok(yield* usage.series({ account }, yield* parametersOf(SeriesQuery, query)))
    })
  ),
  get(
    "/accounts/:id/usage/tags",
    Effect.fnUntraced(function* (account, query) {
      yield* accounts.get(account)
      return ok(yield* usage.byTag({ account }, yield* parametersOf(TagUsageQuery, query)))
    })
  ),
  get(
    "/usage/tags",
    Effect.fnUntraced(function* (_, query) {
      return ok(yield* usage.byTag({}, yield* parametersOf(TagUsageQuery, query)))
    })
  )
]
