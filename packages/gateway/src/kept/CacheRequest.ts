import * as Headers from "@tollgate/contract/Headers"
import * as Result from "effect/Result"
import type { Routed } from "../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** What the caller asks of the kept answers. `refresh`: the call is executed, and its answer kept. */
export type CacheRequest = { readonly kind: "use"; readonly maxAgeSeconds?: number } | { readonly kind: "refresh" }

const pattern = /^(?:refresh|use(?: ?; ?max-age=(\d{1,10}))?)$/

/** Whether the caller asks for kept answers of an operation that has them. */
export const isAsked = ({ operation: { kept, names }, request }: Routed): boolean =>
  kept !== undefined && request.headers[Headers.cache.key(names)] !== undefined

/** Reads the header of a call that has it. */
export const parse = ({ operation: { names }, request }: Routed): Result.Result<CacheRequest, Refused> => {
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
