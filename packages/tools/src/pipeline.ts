import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import { refuse } from "@tollgate/contract/errors/Refused"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type { Progress as Reported, Request } from "@tollgate/gateway/exchange/Exchange"
import type { Reply } from "@tollgate/gateway/exchange/Reply"
import { emptyBytes } from "@tollgate/gateway/endpoint"
import type { Caller, Progress } from "./Caller.ts"
import type { ToolRequest } from "@tollgate/gateway/endpoints/catalogue/arguments"
import type { Price, Used } from "./shapes.ts"
import type * as Cause from "effect/Cause"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

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

/** Sends a tool's call down the path that every call takes. Each time it runs it is a call of its own, with an id of its own. */
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
  return Effect.suspend(() => run(accept(request)))
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Quote))

const priceOf = ({ basis, estimate_micros_usd, max_micros_usd, price_contract }: Quote): Price => ({
  estimate_usd: formatUsd(fromMicros(estimate_micros_usd)),
  max_usd: formatUsd(fromMicros(max_micros_usd)),
  estimate_micros_usd,
  max_micros_usd,
  price_contract,
  basis
})

/** Asks the pipeline what a call would cost. It counts as a request. */
export const quote = (caller: Caller, call: Call): Effect.Effect<Reply> =>
  Effect.scoped(run(caller, call, { quote: true }))

export const priceIn = (reply: Reply): Pick<Used, "price"> => {
  const quoted =
    reply.kind === "whole" && reply.answer.status === 200
      ? Option.getOrUndefined(decode(Utf8.decode(reply.answer.bytes)))
      : undefined
  return quoted === undefined ? {} : { price: priceOf(quoted) }
}

/** Of progress that the client is too slow for, the latest is kept. */
const mostWaiting = 64

/** Makes a call, and tells the client what the upstream reports of its progress before the client gets the answer. */
export const runWithProgress = (
  caller: Caller,
  call: Call,
  terms: Terms,
  progress: Progress
): Effect.Effect<Reply, never, Scope> =>
  progress.isWanted ? telling(caller, call, terms, progress) : run(caller, call, terms)

const telling = Effect.fnUntraced(function* (caller: Caller, call: Call, terms: Terms, progress: Progress) {
  const reports = yield* Queue.make<Reported, Cause.Done>({ capacity: mostWaiting, strategy: "sliding" })
  const told = yield* Effect.forkChild(
    Stream.runForEach(Stream.fromQueue(reports), ({ message = "", progress: done, total }) =>
      progress.report(done, message, total)
    )
  )
  const reply = yield* run(caller, call, terms, (report) => void Queue.offerUnsafe(reports, report))
  yield* Queue.end(reports)
  yield* Fiber.join(told)
  return reply
})
