import { encode } from "@tollgate/contract/errors/encode"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Answer } from "../upstream/Protocol.ts"
import { json } from "./json.ts"
import type { Builtin } from "./Builtin.ts"

/** A verified snapshot, and when its figures were observed. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly observedAt: number
  readonly data: Readonly<Record<string, unknown>>
}

/** The verified source of sales data; it fails where none can be had. `undefined`: there is no source. */
export const SalesData = Context.Reference<Effect.Effect<Snapshot, unknown> | undefined>(
  "@tollgate/gateway/SalesData",
  {
    defaultValue: () => undefined
  }
)

/** The source is looked at no more often than this, and not waited for any longer. */
const lookEvery = "10 seconds"
const patience = "5 seconds"

const code = "verified_sales_source_unavailable"

type Headers = Answer["headers"]

const unavailable = (requestId: string, headers: Headers): Answer => {
  const { body, status } = encode("data", { code, message: "There is no verified snapshot of sales data.", requestId })
  return {
    status,
    contentType: "application/json",
    headers,
    bytes: Utf8.encode(JSON.stringify({ ...(body as object), freshness: "unavailable", reason_code: code }))
  }
}

const shown = ({ data, observedAt }: Snapshot, freshness: "fresh" | "stale"): string =>
  JSON.stringify({ ...data, freshness, observed_at: new Date(observedAt).toISOString() })

/** What the source says now; what it said last, marked as stale, where it says nothing; or else 503. */
export const salesData = Effect.fnUntraced(function* (headers: Headers) {
  const source = yield* SalesData
  let last: Snapshot | undefined
  const looked =
    source === undefined
      ? Effect.undefined
      : source.pipe(
          Effect.timeout(patience),
          Effect.tap((snapshot) => Effect.sync(() => (last = snapshot))),
          Effect.catchCause(() => Effect.undefined)
        )
  const look = yield* Effect.cachedWithTTL(looked, lookEvery)
  const answer: Builtin = ({ requestId }) =>
    Effect.map(look, (fresh) => {
      if (fresh !== undefined) return json(shown(fresh, "fresh"), headers)
      return last === undefined ? unavailable(requestId, headers) : json(shown(last, "stale"), headers)
    })
  return answer
})
