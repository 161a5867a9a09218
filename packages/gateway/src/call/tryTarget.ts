import { Carrier, type Incoming, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { type NanoUsd, zero } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import * as Estimate from "@tollgate/contract/price/contracts"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { TokenUsage } from "@tollgate/contract/price/TokenKind"
import * as Utf8 from "@tollgate/contract/Utf8"
import { codecs } from "@tollgate/protocols/codecs"
import { readError } from "@tollgate/protocols/errors"
import { stringify } from "@tollgate/protocols/exact"
import { Lost } from "@tollgate/protocols/losses"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Priced } from "../exchange/Exchange.ts"
import type { PriceBook } from "../exchange/Prices.ts"
import * as RequestIds from "../exchange/RequestIds.ts"
import { set } from "../internal/jsonEdit.ts"
import type { Called } from "../upstream/Called.ts"
import { isSuccess } from "../upstream/protocols/message.ts"
import type { Target } from "../upstream/Route.ts"
import { scrubberOf } from "../upstream/Scrubber.ts"
import { askedBy, shapeFor } from "../upstream/speaks.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import { meter } from "./steps/13-meter.ts"

/** What one small call straight to an upstream came to. */
export interface Trial {
  /** `undefined`: no answer arrived. */
  readonly status: number | undefined
  readonly millis: number
  readonly usage?: TokenUsage
  /** What it cost by the upstream's own prices, and by the list. Missing: there is no price. */
  readonly cost?: NanoUsd | undefined
  readonly listed?: NanoUsd
  /** Why it failed, in the upstream's own words if it has any. */
  readonly problem?: string
}

/** OpenAI's responses take no smaller limit. */
const mostTokens = 16

const longestWords = 300

/** Headers whose values no message may repeat. */
const credentialName = /auth|key|token|secret/i

/** What was sent, and its answer. */
interface Carried {
  readonly outgoing: Outgoing
  readonly incoming: Incoming
}

/** What an upstream says of a call that failed, without the credentials that it got. */
const wordsOf = ({ incoming: { body }, outgoing }: Carried, { provider }: Target): string => {
  const sent = Object.entries(outgoing.headers).flatMap(([name, value]) => (credentialName.test(name) ? [value] : []))
  const scrubber = scrubberOf(provider).and(sent)
  const text = body instanceof Uint8Array ? Utf8.decode(scrubber.bytes(body)).trim() : ""
  const message = Option.getOrElse(parseError(text), () => text)
  // JSON can spell a credential in ways that only its reader sees.
  return scrubber.text(message).slice(0, longestWords)
}

const parseError = Option.liftThrowable((text: string) => readError(JSON.parse(text)).message)

/** A call of a few tokens in the upstream's own protocol. `undefined`: it speaks none that asks a model. */
const smallCall = (target: Target, operation: Bound, model: string) => {
  const shape = shapeFor(target.provider, operation.id)
  const codec = shape && codecs[shape]
  if (codec === undefined) return undefined
  const native = askedBy(codec.shape, false, operation.names)
  const messages = [{ role: "user", parts: [{ type: "text", text: "Say OK." }] }] as const
  const conversation = { model, system: [], messages, isStream: false, own: [] }
  const body = codec.writeRequest(conversation, new Lost(), { limit: mostTokens })
  const limit = contractOf(native.price).boundField?.(native.price, body, target.provider.outputLimit) ?? []
  const [name, ...inner] = limit
  const bytes = Utf8.encode(stringify(body))
  const path = native.path.replace("{model}", () => encodeURIComponent(model))
  return {
    native,
    path,
    body: body as unknown,
    bytes: name === undefined ? bytes : set(bytes, [name, ...inner], String(mostTokens))
  }
}

/** What the answer used and cost. The operation by which callers reach the upstream has the list price. */
const costOf = (called: Called, operation: Bound, exchange: Priced, prices: PriceBook): Partial<Trial> => {
  if (called.kind === "stream") return { problem: "It answers with a stream, which was not asked for." }
  const { protocol } = called
  if (Option.isNone(protocol.evidence(exchange, called.answer))) {
    return { problem: "The answer is none of its protocol, so it proves no cost." }
  }
  const { operation: native } = exchange
  const settled = meter(
    prices,
    { ...exchange, operation },
    {
      ...called,
      protocol: {
        ...protocol,
        evidence: (given, answer) => protocol.evidence({ ...given, operation: native }, answer)
      }
    }
  )
  return settled === undefined
    ? {}
    : { usage: settled.usage, listed: settled.settlement.chargedNano, cost: settled.cost }
}

/**
 * Asks a target for a few tokens, in its own protocol and with its credential, as a caller of `operation` would reach it. It may cost
 * money.
 */
export const tryTarget = Effect.fnUntraced(function* (
  target: Target,
  operation: Bound,
  model: string,
  prices: PriceBook
): Effect.fn.Return<Trial, never, Carrier | SecureRandom> {
  const call = smallCall(target, operation, model)
  if (call === undefined)
    return { status: undefined, millis: 0, problem: "No small call can be written in its protocol." }
  const { body, bytes, native, path } = call
  const since = yield* Clock.currentTimeMillis
  const listed = prices.of(operation, model)
  const price = contractOf(listed).at?.(listed, since) ?? listed
  const exchange: Priced = {
    request: { method: native.method, url: path, headers: {}, readBody: () => Effect.succeed(bytes) },
    requestId: (yield* RequestIds.make)(),
    since,
    path,
    query: "",
    match: { operations: new Map(), parameters: {} },
    principal: undefined,
    operation: native,
    wantsQuote: false,
    input: { path: {}, query: {}, body },
    model,
    bytes,
    price,
    pricedAt: since,
    estimate: Option.getOrElse(Estimate.estimate(price, body, undefined, model), () => ({ likely: zero, most: zero }))
  }
  let carried: Carried | undefined
  const carrier = yield* Carrier
  const watched = Carrier.of({
    carry: (outgoing) =>
      Effect.tap(carrier.carry(outgoing), (incoming) => Effect.sync(() => (carried = { outgoing, incoming })))
  })
  const called = yield* Upstreams.use((upstreams) => upstreams.call(exchange)).pipe(
    Effect.provide(Upstreams.layer([{ operation: native.id, to: [target] }])),
    Effect.provideService(Carrier, watched),
    Effect.result
  )
  const millis = (yield* Clock.currentTimeMillis) - since
  const status = carried?.incoming.status
  const came = { status, millis }
  if (Result.isSuccess(called) && status !== undefined && isSuccess(status)) {
    return { ...came, ...costOf(called.success, operation, exchange, prices) }
  }
  // The gateway says more of a redirect than the upstream does.
  const words = carried === undefined || carried.incoming.status < 400 ? "" : wordsOf(carried, target)
  const refused = Result.isFailure(called) ? called.failure.refusal.message : ""
  return { ...came, problem: words || refused || "It answered without words." }
})
