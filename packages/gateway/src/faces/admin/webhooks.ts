import type * as Contract from "@tollgate/contract/admin/Webhook"
import { IntFromQuery } from "@tollgate/contract/Query"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountsError } from "../../books/account/Accounts.ts"
import type { Endpoint, Endpoints } from "../../books/outbox/Endpoints.ts"
import { type Entry, maxListed, type Outbox, states } from "../../books/outbox/Outbox.ts"
import { parametersOf } from "../account/calls.ts"
import * as Bodies from "./bodies.ts"
import { get, ok, post, type Route } from "./Route.ts"
import { amount, time } from "./shapes.ts"

/** The outbox, and the endpoints in force. */
export interface WebhookControl {
  readonly outbox: Pick<Outbox, "list" | "resend">
  readonly endpoints: Pick<Endpoints, "all">
}

export const webhook = (of: Entry): Contract.Webhook => ({
  id: of.id,
  endpoint: of.endpoint,
  type: of.type,
  state: of.state,
  attempts: of.attempts,
  created_at: time(of.createdAt),
  next_at: of.state === "pending" ? time(of.nextAt) : null,
  ended_at: of.endedAt === null ? null : time(of.endedAt),
  result: of.result
})

/** Without path and query, which can contain a credential. */
export const originOf = ({ url }: Pick<Endpoint, "url">): string => /^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? ""

export const endpoint = (of: Endpoint): Contract.WebhookEndpoint => ({
  id: of.id,
  origin: originOf(of),
  events: of.events,
  balance_below_micros_usd: of.balanceBelow === undefined ? null : amount(of.balanceBelow)
})

const Query = Schema.Struct({
  state: Schema.optionalKey(Schema.Literals(states)),
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: maxListed })))
})

const missing = (id: string) => new AccountsError({ reason: "missing", message: `There is no message ${id}.` })

export const webhookRoutes = ({ endpoints, outbox }: WebhookControl): ReadonlyArray<Route> => [
  get(
    "/webhooks",
    Effect.fnUntraced(function* (_, query) {
      const { limit, state } = yield* parametersOf(Query, query)
      const found = yield* outbox.list(state, limit)
      return ok({ endpoints: endpoints.all.map(endpoint), webhooks: found.map(webhook) } satisfies Contract.Webhooks)
    })
  ),
  post(
    "/webhooks/:id/resend",
    Bodies.Empty,
    Effect.fnUntraced(function* (id) {
      const found = yield* outbox.resend(id)
      return found === undefined ? yield* missing(id) : ok(webhook(found))
    })
  )
]
