import { refuse } from "@tollgate/contract/errors/Refused"
import * as Utf8 from "@tollgate/contract/Utf8"
import { CurrentCause } from "@tollgate/ledger/trail/Trail"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as RequestIds from "../../exchange/RequestIds.ts"
import type { Payments } from "../../payment/Payments.ts"
import type { EndpointGroup } from "../EndpointGroup.ts"
import { readBody } from "../http/Http.ts"
import { failure, reply } from "../jsonAnswers.ts"

const maxEvent = 512 * 1024

const wrongMethod = refuse("method_not_allowed", "This path allows POST.", { headers: { Allow: "POST" } })

/** Where the provider sends its events. An answer other than 2xx makes it send the event again later. */
export const events = Effect.fnUntraced(function* (payments: Payments) {
  const nextId = yield* RequestIds.make
  const take = Effect.fnUntraced(function* (request: HttpServerRequest) {
    if (request.method !== "POST") return yield* wrongMethod
    const body = Utf8.decode(yield* readBody(request, maxEvent))
    yield* Effect.catchTag(payments.event(body, request.headers), "PaymentError", ({ message, reason }) =>
      Effect.fail(
        reason === "refused"
          ? refuse("invalid_request", message)
          : refuse("upstream_unreachable", message, { retryAfter: 5_000 })
      )
    )
  })
  return {
    paths: ["/payments/events"],
    answer: (request: HttpServerRequest) => {
      const requestId = nextId()
      return take(request).pipe(
        Effect.provideService(CurrentCause, {
          who: payments.settings.provider?.name ?? "payments",
          address: null,
          request: requestId
        }),
        Effect.matchCauseEffect({
          onSuccess: () => Effect.succeed(reply(200, { received: true }, requestId)),
          onFailure: (cause) => failure(cause, requestId, "payment event")
        })
      )
    }
  } satisfies EndpointGroup
})
