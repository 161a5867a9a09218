import type { Catalogue } from "@tollgate/contract/Catalogue"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import type { Accepted, Routed } from "./Exchange.ts"
import { contracts } from "./own/contracts.ts"
import { json } from "./own/json.ts"
import type { Own } from "./own/Own.ts"
import { refuse } from "./Refused.ts"
import * as RequestIds from "./RequestIds.ts"
import * as Router from "./Router.ts"
import { accept } from "./steps/01-accept.ts"
import { credential } from "./steps/02-credential.ts"
import { operation } from "./steps/03-operation.ts"
import { request } from "./steps/04-request.ts"
import { limits } from "./steps/05-limits.ts"
import { price } from "./steps/06-price.ts"
import { quote, wantsQuote } from "./steps/07-quote.ts"
import { cap } from "./steps/08-cap.ts"
import { reserve } from "./steps/09-reserve.ts"
import { upstream } from "./steps/10-upstream.ts"
import { meter } from "./steps/11-meter.ts"
import { settle } from "./steps/12-settle.ts"
import { answer, preflight, refusal } from "./steps/13-answer.ts"

const encodeQuote = Schema.encodeSync(Schema.fromJsonString(Quote))

const nameAndPlace = (defect: unknown): string => {
  if (!(defect instanceof Error)) return typeof defect
  // A line of the message may look like one of the trace, so the message goes first.
  const [, trace = ""] = splitOnce(defect.stack ?? "", defect.message)
  return [defect.name, ...trace.split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
}

const splitOnce = (text: string, at: string): ReadonlyArray<string> => {
  const index = text.indexOf(at)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + at.length)]
}

/** The path of a request, from top to bottom. Every operation takes it; there is no other door. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const router = Router.make(catalogue.bound)
  const nextId = yield* RequestIds.make
  const own: Readonly<Record<string, Own>> = yield* contracts(catalogue)

  const carryOut = Effect.fnUntraced(function* (accepted: Accepted) {
    const routed: Routed = yield* operation(yield* credential(accepted))
    const decoded = yield* request(routed)
    const allowance = yield* limits(routed)
    const ours = own[routed.operation.id]
    if (ours !== undefined && !wantsQuote(routed)) {
      return answer(routed, yield* ours(decoded), allowance, { state: "none" })
    }
    const priced = yield* price(decoded)
    const quoted = yield* quote(priced)
    if (quoted !== undefined) return answer(routed, json(encodeQuote(quoted)), allowance, { state: "none" })
    yield* cap(priced)
    const reservation = yield* reserve(priced)
    const called = yield* upstream(priced, reservation)
    const charge = yield* settle(priced, reservation, called, yield* meter(priced, called))
    return answer(routed, called.answer, allowance, charge)
  })

  return Effect.gen(function* () {
    const accepted = accept(router, yield* HttpServerRequest, nextId())
    if (accepted.request.method === "OPTIONS") return preflight(accepted)
    return yield* carryOut(accepted).pipe(
      Effect.catchTag("Refused", (refused) => Effect.succeed(refusal(accepted, refused, catalogue.names))),
      Effect.catchDefect((defect) =>
        Effect.as(
          // The name and the place only: a message may quote what the caller sent.
          Effect.logError("request failed", { requestId: accepted.requestId, defect: nameAndPlace(defect) }),
          refusal(accepted, refuse("internal_error", "The gateway failed to handle the request."), catalogue.names)
        )
      )
    )
  })
})
