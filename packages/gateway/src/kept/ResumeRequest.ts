import * as Headers from "@tollgate/contract/Headers"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Names } from "@tollgate/contract/Names"
import * as Result from "effect/Result"
import type { Accepted, Routed } from "../exchange/Exchange.ts"

const idempotencyKey = Headers.idempotencyKey.toLowerCase()
const lastEventId = Headers.lastEventId.toLowerCase()

/** Makes the check whether a caller asks for a stream that can be resumed. */
export const isAsked = (names: Names): ((accepted: Accepted) => boolean) => {
  const header = Headers.resumable.key(names)
  return ({ request }) => request.headers[header] !== undefined
}

const isEventId = /^\d{1,9}$/

/** Reads after which event a caller goes on who asks for a stream that can be resumed. 0: it has none. */
export const parse = ({ operation: { names }, request: { headers } }: Routed): Result.Result<number, Refused> => {
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
