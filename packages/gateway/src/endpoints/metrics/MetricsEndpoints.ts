import type { Family, HistogramSample, Labels, Sample, Snapshot } from "./Family.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Redacted from "effect/Redacted"
import { singleFlight } from "../../internal/once.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import type { EndpointGroup } from "../EndpointGroup.ts"
import { nosniff } from "../http/respond.ts"
import { failure } from "../jsonAnswers.ts"
import { operatorToken } from "../operatorToken.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const number = (value: number | string): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const pairs = (labels: Labels): Array<string> => {
  const found: Array<string> = []
  for (const name in labels) found.push(`${name}="${escapeValue(labels[name] ?? "")}"`)
  return found
}

const braced = (pairs: ReadonlyArray<string>): string => (pairs.length === 0 ? "" : `{${pairs.join(",")}}`)

const plainLine = (name: string, { labels, value }: Sample): string =>
  `${name}${braced(pairs(labels))} ${number(value)}\n`

const histogramLines = (
  name: string,
  bounds: ReadonlyArray<number>,
  { counts, labels, sum }: HistogramSample
): string => {
  const own = pairs(labels)
  const prefix = `${name}_bucket{${own.map((pair) => `${pair},`).join("")}le="`
  let total = 0
  let text = ""
  for (let i = 0; i <= bounds.length; i++) {
    total += counts[i] ?? 0
    text += `${prefix}${number(bounds[i] ?? Infinity)}"} ${total}\n`
  }
  const rest = braced(own)
  return `${text}${name}_sum${rest} ${number(sum)}\n${name}_count${rest} ${total}\n`
}

/** How many series are rendered in one step of the event loop. */
const perPiece = 64

const linesOf = (family: Family, from: number): string => {
  const to = from + perPiece
  const lines =
    family.type === "histogram"
      ? family.samples.slice(from, to).map((sample) => histogramLines(family.name, family.bounds, sample))
      : family.samples.slice(from, to).map((sample) => plainLine(family.name, sample))
  return lines.join("")
}

/** The text in pieces, so that who renders it can let others run in between. */
export function* pieces(snapshot: Snapshot): Generator<string> {
  for (const family of snapshot) {
    yield `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`
    for (let from = 0; from < family.samples.length; from += perPiece) yield linesOf(family, from)
  }
}

/** Prometheus's text format. */
export const render = (snapshot: Snapshot): string => [...pieces(snapshot)].join("")

export const path = "/metrics"

const notAllowed = refuse("method_not_allowed", "This path allows GET, HEAD.", { headers: { Allow: "GET, HEAD" } })

/** Between pieces others run: a scrape does not hold up calls. */
export const rendered = Effect.fnUntraced(function* (read: Effect.Effect<Snapshot>) {
  let text = ""
  for (const piece of pieces(yield* read)) {
    text += piece
    yield* Effect.yieldNow
  }
  return text
})

/** Answers scrapes at `/metrics`. Scrapes that come at the same time share one reading. With a token, it has to be sent. */
export const make = Effect.fnUntraced(function* (
  text: Effect.Effect<string, Refused>,
  token: Redacted.Redacted | undefined
) {
  const nextId = yield* RequestIds.make
  const shared = singleFlight<Uint8Array, Refused>(yield* Effect.scope)
  const check = token && (yield* operatorToken(token, "metrics")).authenticate
  const encoded = Effect.map(text, Utf8.encode)

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    if (check !== undefined) yield* check(request)
    if (request.method !== "GET" && request.method !== "HEAD") return yield* notAllowed
    const bytes = yield* shared("", encoded)
    return HttpServerResponse.uint8Array(bytes, { contentType, headers: { ...nosniff, "cache-control": "no-store" } })
  })

  const endpoints: EndpointGroup = {
    paths: [path],
    answer: (request) => Effect.catchCause(answer(request), (cause) => failure(cause, nextId(), "metrics request"))
  }
  return endpoints
})
