import type { Accepted, Routed } from "../exchange/Exchange.ts"
import * as Headers from "@tollgate/contract/Headers"

const header = Headers.retryCount.toLowerCase()
const idempotencyKey = Headers.idempotencyKey.toLowerCase()

/** Whether the SDK of a request counts its attempts. */
export const isCounted = ({ request }: Accepted): boolean => request.headers[header] !== undefined

const isCount = /^\d{1,4}$/

/**
 * How often an SDK has sent this request before. `undefined`: it does not count, or the call has an idempotency key, which
 * decides alone.
 */
export const attemptCount = ({ principal, request: { headers } }: Routed): number | undefined => {
  const text = headers[header]
  if (text === undefined || principal === undefined || headers[idempotencyKey] !== undefined) return undefined
  return isCount.test(text) ? Number(text) : undefined
}

/** What is known of an attempt whose body was not read. */
export const refusalName = ({ operation, principal, request: { headers } }: Routed, count: number): string =>
  JSON.stringify([principal?.account, principal?.key, operation.id, headers["content-length"], count])
