import { encode } from "@tollgate/contract/errors/encode"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Answer } from "../upstream/Protocol.ts"
import { json } from "./json.ts"
import type { Builtin } from "./Builtin.ts"

/** A verified snapshot and the time of its figures. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly observedAt: number
  readonly data: Readonly<Record<string, unknown>>
}

/** The verified source of sales data. `undefined`: none is configured. */
export const SalesData = Context.Reference<Effect.Effect<Snapshot, unknown> | undefined>(
  "@tollgate/gateway/SalesData",
  {
    defaultValue: () => undefined
  }
)

const cacheTime = "10 seconds"
const readTimeout = "5 seconds"

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

const encodeSnapshot = ({ data, observedAt }: Snapshot, freshness: "fresh" | "stale"): string =>
  JSON.stringify({ ...data, freshness, observed_at: new Date(observedAt).toISOString() })

/** Serves the current snapshot, or the last one marked as stale if the source fails, or 503. */
export const salesData = Effect.fnUntraced(function* (headers: Headers) {
  const source = yield* SalesData
  let last: Snapshot | undefined
  const readSource =
    source === undefined
      ? Effect.undefined
      : source.pipe(
          Effect.timeout(readTimeout),
          Effect.tap((snapshot) => Effect.sync(() => (last = snapshot))),
          Effect.catchCause(() => Effect.undefined)
        )
  const readCached = yield* Effect.cachedWithTTL(readSource, cacheTime)
  const answer: Builtin = ({ requestId }) =>
    Effect.map(readCached, (fresh) => {
      if (fresh !== undefined) return json(encodeSnapshot(fresh, "fresh"), headers)
      return last === undefined ? unavailable(requestId, headers) : json(encodeSnapshot(last, "stale"), headers)
    })
  return answer
})
