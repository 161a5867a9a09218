import { encode } from "@tollgate/contract/errors/encode"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import { type Dated, SalesData } from "./sales/SalesSource.ts"
import { type Answer, json, type Builtin } from "../../exchange/Reply.ts"

const code = "verified_sales_source_unavailable"

type Headers = Answer["headers"]

const unavailable = (requestId: string, headers: Headers): Answer => {
  const message = "There is no verified snapshot of sales data."
  const { body, headers: hints, status } = encode("data", { code, message, requestId })
  return {
    status,
    contentType: "application/json",
    headers: { ...headers, ...hints },
    bytes: Utf8.encode(JSON.stringify({ ...(body as object), freshness: "unavailable", reason_code: code }))
  }
}

const encodeSnapshot = ({ freshness, snapshot: { data, observedAt } }: Dated): string =>
  JSON.stringify({ ...data, freshness, observed_at: new Date(observedAt).toISOString() })

/** As long as the source itself is cached. */
const caching = { "cache-control": "public, max-age=10", vary: "Origin" }

/** Serves the current snapshot, or the last one marked as stale if the source fails, or 503. */
export const salesData = Effect.fnUntraced(function* (headers: Headers) {
  const source = yield* SalesData
  /** A snapshot may be large, and the route is open: it is encoded once. */
  let encoded: (Dated & { readonly answer: Answer }) | undefined
  const answerOf = (dated: Dated): Answer => {
    if (encoded?.snapshot !== dated.snapshot || encoded.freshness !== dated.freshness) {
      encoded = { ...dated, answer: json(encodeSnapshot(dated), { ...headers, ...caching }) }
    }
    return encoded.answer
  }
  const current = source?.current ?? Effect.undefined
  const answer: Builtin = ({ requestId }) =>
    Effect.map(current, (dated) => (dated === undefined ? unavailable(requestId, headers) : answerOf(dated)))
  return answer
})
