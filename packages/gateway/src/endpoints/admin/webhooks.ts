import type * as Contract from "@tollgate/contract/admin/Webhook"
import * as Effect from "effect/Effect"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Endpoint, Endpoints } from "@tollgate/ledger/outbox/Endpoints"
import type { Entry, Outbox } from "@tollgate/ledger/outbox/Outbox"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, time, timeOrNull } from "../managementApi/shapes.ts"

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
  ended_at: timeOrNull(of.endedAt),
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

const missing = (id: string) => new AccountsError({ reason: "missing", message: `There is no message ${id}.` })

export const webhookHandlers = ({ endpoints, outbox }: WebhookControl): Handlers<typeof Contract.webhooks> => ({
  webhooks: ({ query: { limit, state } }) =>
    Effect.map(outbox.list(state, limit), (found) => ({
      endpoints: endpoints.all.map(endpoint),
      webhooks: found.map(webhook)
    })),
  resendWebhook: Effect.fnUntraced(function* ({ id }) {
    const found = yield* outbox.resend(id)
    return found === undefined ? yield* missing(id) : webhook(found)
  })
})
