import { Carrier, type Incoming, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { formatUsd, zero } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import { contractOf } from "@tollgate/contract/price/contracts"
import { totalTokens } from "@tollgate/contract/price/TokenKind"
import * as Utf8 from "@tollgate/contract/Utf8"
import { upstreamCodecs } from "@tollgate/protocols/codecs"
import { readError } from "@tollgate/protocols/errors"
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
import type { Target } from "../upstream/Route.ts"
import { scrubberOf } from "../upstream/Scrubber.ts"
import { askedBy, shapeFor } from "../upstream/speaks.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import { meter } from "./steps/13-meter.ts"

/** What one small call straight to an upstream came to. Null: it is not known. */
export interface Trial {
  readonly status: number | null
  readonly milliseconds: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** What it cost by the upstream's own prices, and by the list. */
  readonly upstream_usd: string | null
  readonly list_usd: string | null
  /** Why it failed, in the upstream's own words if it has any. */
  readonly problem: string | null
}

const unknown = { input_tokens: null, output_tokens: null, upstream_usd: null, list_usd: null, problem: null }

/** OpenAI's responses take no smaller limit. */
const mostTokens = 16

const parseError = Option.liftThrowable((text: string) => readError(JSON.parse(text)).message)

/** What an upstream says of a call that failed, without the credentials that it got. */
const wordsOf = ({ headers }: Outgoing, { body }: Incoming, { provider }: Target): string => {
  const scrubber = scrubberOf(provider).and(
    Object.keys(headers).flatMap((name) => (/auth|key|token|secret/i.test(name) ? (headers[name] ?? []) : []))
  )
  const text = body instanceof Uint8Array ? Utf8.decode(scrubber.bytes(body)).trim() : ""
  // JSON can spell a credential in ways that only its reader sees.
  return scrubber.text(Option.getOrElse(parseError(text), () => text)).slice(0, 300)
}

/** What the answer used and cost. The operation by which callers reach the upstream has the list price. */
const costOf = (called: Called, operation: Bound, exchange: Priced, prices: PriceBook): Partial<Trial> => {
  if (called.kind === "stream") return { problem: "It answers with a stream, which was not asked for." }
  const { protocol } = called
  const evidence: typeof protocol.evidence = (given, answer) =>
    protocol.evidence({ ...given, operation: exchange.operation }, answer)
  if (Option.isNone(evidence(exchange, called.answer))) {
    return { problem: "The answer is none of its protocol, so it proves no cost." }
  }
  const settled = meter(prices, { ...exchange, operation }, { ...called, protocol: { ...protocol, evidence } })
  if (settled === undefined) return {}
  const { cost, settlement, usage } = settled
  return {
    input_tokens: totalTokens(usage) - usage.output,
    output_tokens: usage.output,
    upstream_usd: cost === undefined ? null : formatUsd(cost),
    list_usd: formatUsd(settlement.chargedNano)
  }
}

/**
 * Asks a target for a few tokens, in its own protocol and with its credential. It may cost money. `operation` is one by which callers
 * reach it.
 */
export const tryTarget = Effect.fnUntraced(function* (
  target: Target,
  operation: Bound,
  model: string,
  prices: PriceBook
): Effect.fn.Return<Trial, never, Carrier | SecureRandom> {
  const spoken = shapeFor(target.provider, operation.id) ?? "chat"
  // Only the gateway speaks as Bedrock does.
  const { shape, writeRequest } = upstreamCodecs[spoken === "converse" ? "messages" : spoken]
  const native = askedBy(shape, false, operation.names)
  const messages = [{ role: "user", parts: [{ type: "text", text: "Say OK." }] }] as const
  const asked = { model, system: [], messages, isStream: false, own: [] }
  const body: unknown = writeRequest(asked, new Lost(), { limit: mostTokens })
  const [field = "", ...inner] =
    contractOf(native.price).boundField?.(native.price, body, target.provider.outputLimit) ?? []
  const bytes = set(Utf8.encode(JSON.stringify(body)), [field, ...inner], String(mostTokens))
  const path = native.path.replace("{model}", () => encodeURIComponent(model))
  const since = yield* Clock.currentTimeMillis
  const listed = prices.of(operation, model)
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
    price: contractOf(listed).at?.(listed, since) ?? listed,
    pricedAt: since,
    estimate: { likely: zero, most: zero }
  }
  let words = ""
  let status: number | null = null
  const { carry } = yield* Carrier
  const watched = (outgoing: Outgoing) =>
    Effect.tap(carry(outgoing), (incoming) =>
      Effect.sync(() => {
        status = incoming.status
        // The gateway says more of a redirect than the upstream does.
        words = status < 400 ? "" : wordsOf(outgoing, incoming, target)
      })
    )
  const called = yield* Upstreams.use((upstreams) => upstreams.call(exchange)).pipe(
    Effect.provide(Upstreams.layer([{ operation: native.id, to: [target] }])),
    Effect.provideService(Carrier, { carry: watched }),
    Effect.result
  )
  const came = { status, milliseconds: (yield* Clock.currentTimeMillis) - since, ...unknown }
  if (Result.isFailure(called)) return { ...came, problem: words || called.failure.refusal.message }
  if (status !== null && status >= 400) return { ...came, problem: words || `It answered ${status}.` }
  return { ...came, ...costOf(called.success, operation, exchange, prices) }
})
