import * as Headers from "@tollgate/contract/Headers"
import * as Result from "effect/Result"
import type { Routed } from "../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** What the caller asks of the kept answers. `refresh`: the call is executed, and its answer kept. */
type CacheRequest = { readonly kind: "use"; readonly maxAgeSeconds?: number } | { readonly kind: "refresh" }

const pattern = /^(?:refresh|use(?: ?; ?max-age=(\d{1,10}))?)$/

/** Whether the caller asks for kept answers of an operation that has them. */
export const asksForKept = ({ operation: { kept, names }, request }: Routed): boolean =>
  kept !== undefined && request.headers[Headers.cache.key(names)] !== undefined

/** Reads the header of a call that has it. */
export const parseCacheRequest = ({ operation: { names }, request }: Routed): Result.Result<CacheRequest, Refused> => {
  const text = (request.headers[Headers.cache.key(names)] ?? "").trim()
  const match = pattern.exec(text)
  if (match !== null) {
    if (text === "refresh") return Result.succeed({ kind: "refresh" })
    return Result.succeed(match[1] === undefined ? { kind: "use" } : { kind: "use", maxAgeSeconds: Number(match[1]) })
  }
  const header = Headers.cache(names)
  const message = `${header} must be use, use; max-age=60 (whole seconds, at most ten digits) or refresh.`
  return Result.fail(refuse("invalid_request", message, { param: header }))
}

const idempotencyKey = Headers.idempotencyKey.toLowerCase()
const lastEventId = Headers.lastEventId.toLowerCase()

const isEventId = /^\d{1,9}$/

/** Reads after which event a caller goes on who asks for a stream that can be resumed. 0: it has none. */
export const parseResumeRequest = ({
  operation: { names },
  request: { headers }
}: Routed): Result.Result<number, Refused> => {
  const name = Headers.resumable(names)
  const fail = (message: string, param: string) => Result.fail(refuse("invalid_request", message, { param }))
  if (headers[Headers.resumable.key(names)]?.trim() !== "true") return fail(`${name} must be true.`, name)
  if (headers[idempotencyKey] === undefined) return fail(`${name} needs an ${Headers.idempotencyKey}.`, name)
  const last = headers[lastEventId]?.trim() ?? "0"
  if (!isEventId.test(last)) {
    return fail(`${Headers.lastEventId} must be the id of an event of the stream, a number.`, Headers.lastEventId)
  }
  return Result.succeed(Number(last))
}

export const retryCount = Headers.retryCount.toLowerCase()

const isCount = /^\d{1,4}$/

/**
 * How often an SDK has sent this request before. `undefined`: it does not count, or the call has an idempotency key, which
 * decides alone.
 */
export const attemptCount = ({ principal, request: { headers } }: Routed): number | undefined => {
  const text = headers[retryCount]
  if (text === undefined || principal === undefined || headers[idempotencyKey] !== undefined) return undefined
  return isCount.test(text) ? Number(text) : undefined
}

/** What is known of an attempt whose body was not read. */
export const refusalName = ({ operation, principal, request: { headers } }: Routed, count: number): string =>
  JSON.stringify([principal?.account, principal?.key, operation.id, headers["content-length"], count])
