import type { TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { contractOf } from "@tollgate/contract/price/contracts"
import * as Effect from "effect/Effect"
import * as Names from "@tollgate/contract/Headers"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Alternative, Decoded, Sent as SentExchange } from "../exchange/Exchange.ts"
import type { CostBook } from "../exchange/Prices.ts"
import type { Slot } from "./Connections.ts"
import type { Endpoint } from "./Endpoint.ts"
import { originAndPath } from "./outgoing.ts"
import type { Protocol, StreamedAnswer } from "./Protocol.ts"
import type { Provider } from "./Provider.ts"
import type { Answer } from "../exchange/Reply.ts"
import { Scrubber } from "./Scrubber.ts"

type Headers = Readonly<Record<string, string>>

const names = ["content-encoding", "content-language", "last-modified", "etag", "x-should-retry"]
const linkNames = ["content-disposition", "link", "location"]

/** Relations that a browser acts upon by itself, and would on the gateway's origin. */
const loads =
  /\b(?:compression-dictionary|dns-prefetch|expect|icon|manifest|modulepreload|preconnect|prefetch|preload|prerender|stylesheet)\b/i

const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/
const address = /(?:[a-z]+:)?\/\/([^/?#<>,;"\s]*)/gi

const unescaped = (value: string): string =>
  value.replace(/%([0-9a-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)))

/**
 * A header as callers may see it. One that repeats the credential, with whichever characters escaped, is left out. Addresses of
 * the upstream itself become paths: with the whole address, a caller that follows it would send its own key there.
 */
const shown = (value: string, { baseUrl }: Provider, scrubber: Scrubber): string | undefined => {
  const plain = unescaped(value)
  if (invalidInValue.test(value) || scrubber.text(plain) !== plain) return undefined
  const own = originAndPath(baseUrl, "").origin.toLowerCase()
  return value.replace(address, (found: string, host: string) =>
    own.endsWith(`//${host.replace(/^.*@/, "").toLowerCase()}`) ? "" : found
  )
}

/**
 * The caller gets only those of an upstream's headers that describe the body or lead to others, its word to SDKs on retrying, and
 * those that the operation names.
 */
const answerHeaders = (headers: Headers, exchange: Decoded, endpoint: Endpoint, scrubber: () => Scrubber): Headers => {
  const named = exchange.operation.answerHeaders
  const { provider } = endpoint
  const kept: Record<string, string> = {}
  for (const name of names) if (headers[name] !== undefined) kept[name] = headers[name]
  for (const name of named === undefined ? linkNames : [...linkNames, ...named]) {
    const given = headers[name]
    if (given === undefined || (name === "link" && loads.test(given))) continue
    const value = shown(given, provider, scrubber())
    if (value !== undefined) kept[name] = value
  }
  nameServed(kept, exchange, endpoint)
  return kept
}

/** An upstream's answer and the upstream that sent it. The answer is whole, or forwarded while it arrives. */
export type Called = Whole | Streamed

interface Sent {
  /** The upstream's name for the model, if it differs from the caller's. */
  readonly sentModel?: string | undefined
  /** The tier that served it, if the upstream reports that in a header. */
  readonly servedTier?: string | undefined
  /** What the upstream charges, as it was when the call was sent. */
  readonly costs?: CostBook | undefined
  /** Another model than the caller's answered, which has a price of its own. */
  readonly servedAs?: Alternative | undefined
  /** An attempt before it may have run too, so that nobody knows what the call costs in all. */
  readonly ranTwice?: true
}

export interface Whole extends Sent {
  readonly kind: "whole"
  readonly answer: Answer
  readonly protocol: Protocol
  /** The name of the upstream. */
  readonly provider: string
  /** All upstreams that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream>
  /** Redacts the credentials that were sent. An answer of 400 and above has none any more. */
  readonly scrub?: (answer: Answer) => Answer
}

export interface Streamed extends Sent {
  readonly kind: "stream"
  readonly streaming: StreamedAnswer
  readonly protocol: Protocol
  readonly provider: string
  /** How many calls the upstream takes at a time. */
  readonly connections: number
  readonly tried?: ReadonlyArray<TriedUpstream>
}

const tierHeader = "x-gemini-service-tier"
const tierOf = (tier: string): string | undefined =>
  tier === "standard" || !/^[a-z_]{1,40}$/i.test(tier) ? undefined : tier.toLowerCase()

const noCost = {}

/** Names that a header can hold. */
const plainName = /^[\x21-\x7e]{1,200}$/

const nameServed = (kept: Record<string, string>, { model, operation }: Decoded, endpoint: Endpoint): void => {
  const served = endpoint.model ?? model
  if (served === undefined) return
  const { name } = endpoint.provider
  if (plainName.test(served)) kept[Names.servedModel.key(operation.names)] = served
  if (plainName.test(name)) kept[Names.upstream.key(operation.names)] = name
}

const costIn = ({ price }: SentExchange, headers: Headers): Pick<Answer, "reportedCost"> => {
  const at = price && contractOf(price).reportedAt?.(price)
  return at !== undefined && "header" in at ? { reportedCost: headers[at.header] } : noCost
}

const endingSlot = (stream: Stream.Stream<Uint8Array, NotCarried>, slot: Slot) =>
  Stream.transformPull(stream, (pull, scope) =>
    Effect.as(
      Scope.addFinalizer(
        scope,
        Effect.sync(() => slot.end())
      ),
      pull
    )
  )

const scrubbed = (answer: Answer, scrubber: Scrubber): Answer => ({
  ...answer,
  contentType: answer.contentType && scrubber.text(answer.contentType),
  headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, scrubber.text(value)])),
  bytes: scrubber.bytes(answer.bytes)
})

const servedAs = ({ alternatives }: SentExchange, { model = "" }: Endpoint): Alternative | undefined => {
  const found = alternatives?.get(model)
  return found === "unfit" ? undefined : found
}

/** The call as one of the model that serves it, if that has a price of its own. */
export const asServed = (exchange: SentExchange, endpoint: Endpoint): SentExchange => {
  const alternative = endpoint.when === undefined ? undefined : servedAs(exchange, endpoint)
  return alternative === undefined ? exchange : { ...exchange, ...alternative }
}

export const called = (
  exchange: SentExchange,
  { body, headers, status }: Incoming,
  protocol: Protocol,
  endpoint: Endpoint,
  slot: Slot
): Called => {
  const { eventBytes, name } = endpoint.provider
  const { linkedUserHeaders } = exchange
  // Callers must not learn a credential from an upstream that repeats it in an error. It outlives the request.
  const scrubber = (): Scrubber =>
    linkedUserHeaders === undefined && endpoint.cloud === undefined
      ? endpoint.scrubber
      : endpoint.scrubber.and([...Object.values(linkedUserHeaders ?? {}), ...(endpoint.cloud?.secrets ?? [])])
  const tier = headers[tierHeader]
  const sent = {
    sentModel: endpoint.model,
    servedTier: tier === undefined ? undefined : tierOf(tier),
    costs: endpoint.provider.prices,
    servedAs: endpoint.when === undefined ? undefined : servedAs(exchange, endpoint)
  }
  const head = {
    status,
    contentType: headers["content-type"],
    headers: answerHeaders(headers, exchange, endpoint, scrubber),
    ...costIn(exchange, headers)
  }
  return body instanceof Uint8Array
    ? {
        kind: "whole",
        answer: status < 400 ? { ...head, bytes: body } : scrubbed({ ...head, bytes: body }, scrubber()),
        protocol,
        provider: name,
        ...sent,
        scrub: (answer) => scrubbed(answer, scrubber())
      }
    : {
        kind: "stream",
        streaming: {
          ...head,
          eventBytes,
          stream: endingSlot(body, slot),
          scrub: (event) => scrubber().bytes(event)
        },
        protocol,
        provider: name,
        connections: endpoint.connections.limit,
        ...sent
      }
}
