import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Request } from "../../exchange/Exchange.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Reply } from "../../exchange/Reply.ts"
import type { Caller } from "./Caller.ts"
import type { ToolRequest } from "./catalogue/arguments.ts"

/** A request made from the arguments of a tool call. */
export interface Call extends ToolRequest {
  readonly operation: Bound
}

/** The caller's terms, which the pipeline reads from headers. */
export interface Terms {
  readonly cap?: NanoUsd | undefined
  readonly idempotencyKey?: string | undefined
  /** Asks for the price instead of making the call. */
  readonly quote?: boolean
}

const idempotencyKey = Headers.idempotencyKey.toLowerCase()

const headersOf = (
  { authenticated }: Caller,
  { contentType, headers: fixed, operation: { names } }: Call,
  { cap, idempotencyKey: key, quote }: Terms
): Record<string, string | undefined> => {
  const { authorization } = authenticated.request.headers
  const tags = Headers.tags.key(names)
  const headers: Record<string, string | undefined> = {
    ...fixed,
    authorization,
    "content-type": contentType,
    [tags]: authenticated.request.headers[tags]
  }
  if (quote === true) headers[Headers.costMode.key(names)] = "quote"
  if (cap !== undefined) headers[Headers.maxPrice.key(names)] = formatUsd(cap)
  if (key !== undefined) {
    headers[idempotencyKey] = `"${key}"`
    headers[Headers.idempotencyMode.key(names)] = "replay"
  }
  return headers
}

/** Sends a tool's call down the path that every call takes. */
export const run = (
  caller: Caller,
  call: Call,
  terms: Terms,
  onProgress?: Request["onProgress"]
): Effect.Effect<Reply, never, Scope> => {
  const { accept, run } = caller.gateway
  const bytes = call.body ?? emptyBytes
  const request: Request = {
    ...caller.authenticated.request,
    ...(caller.trace === undefined ? {} : { trace: caller.trace }),
    onProgress,
    method: call.method,
    url: call.url,
    headers: headersOf(caller, call, terms),
    readBody: (maxBytes) =>
      bytes.length > maxBytes
        ? Effect.fail(refuse("body_too_large", `The arguments are larger than ${maxBytes} bytes.`))
        : Effect.succeed(bytes)
  }
  return run(accept(request))
}
