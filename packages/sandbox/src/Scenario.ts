import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** Of a stream, how many events come first; half of them where nothing is said. */
interface After {
  readonly after?: number
}

/**
 * What can go wrong, on request: `X-<provider>-Scenario: slow; ms=2000`. A gateway passes the header to sandbox
 * upstreams only, so an app developer can try each error path end to end. Whoever cannot set a header names the model
 * `sandbox:slow; ms=2000`.
 */
export type Scenario =
  | { readonly kind: "none" }
  /** Answers after `ms`. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Never answers. With `after`, a stream falls silent there. */
  | ({ readonly kind: "stall" } & After)
  /** Works, bills, and breaks the connection before the answer is out. */
  | ({ readonly kind: "reset" } & After)
  /** Refuses with this status, and `Retry-After` where `after` says so; does nothing and bills nothing. */
  | { readonly kind: "status"; readonly status: number; readonly after?: number }
  /** A page of HTML with status 200, as a misconfigured proxy sends. */
  | { readonly kind: "html" }
  /** Works, bills, and sends half of the JSON, or ends a stream early; neither says what was used. */
  | ({ readonly kind: "truncated" } & After)
  /** Works and bills, and leaves the evidence of its cost out. */
  | { readonly kind: "no-usage" }
  /** Ends a stream with an error of the protocol's own. */
  | ({ readonly kind: "stream-error" } & After)
  /** One event of a stream is not JSON. */
  | ({ readonly kind: "garbage" } & After)
  /** Waits between two events of a stream. */
  | { readonly kind: "interval"; readonly ms: number }
  /** Answers in `events` pieces of text, whatever was asked; only the caller's own limit ends it sooner. */
  | { readonly kind: "long"; readonly events: number }
  /** Has `tokens` of the prompt in a cache. */
  | { readonly kind: "cached"; readonly tokens: number }

export const kinds = [
  "slow",
  "stall",
  "reset",
  "status",
  "html",
  "truncated",
  "no-usage",
  "stream-error",
  "garbage",
  "interval",
  "long",
  "cached"
] as const

const none: Scenario = { kind: "none" }

const mostMillis = 60_000
const mostEvents = 100_000

const number = (text: string | undefined, least: number, most: number): number | undefined => {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  return Math.min(most, Math.max(least, Number(text)))
}

/** An unknown scenario is none. */
export const parse = (text: string): Scenario => {
  const [kind = "", ...rest] = text.split(";").map((part) => part.trim())
  const options = new Map(rest.map((part) => part.split("=", 2) as [string, string | undefined]))
  switch (kind) {
    case "slow":
      return { kind, ms: number(options.get("ms"), 0, mostMillis) ?? 1_000 }
    case "interval":
      return { kind, ms: number(options.get("ms"), 0, mostMillis) ?? 100 }
    case "status": {
      const after = number(options.get("after"), 0, 86_400)
      const status = number(options.get("code"), 400, 599) ?? 500
      return after === undefined ? { kind, status } : { kind, status, after }
    }
    case "stall":
    case "reset":
    case "truncated":
    case "stream-error":
    case "garbage": {
      const after = number(options.get("after"), 0, mostEvents)
      return after === undefined ? { kind } : { kind, after }
    }
    case "html":
    case "no-usage":
      return { kind }
    case "long":
      return { kind, events: number(options.get("events"), 1, mostEvents) ?? 1_000 }
    case "cached":
      return { kind, tokens: number(options.get("tokens"), 0, 10_000_000) ?? 1_000 }
    default:
      return none
  }
}

/** From the header, or else from what follows the first colon in the model's name. */
export const of = (request: HttpServerRequest, names: Names, model: string | undefined): Scenario => {
  const colon = model?.indexOf(":") ?? -1
  const text = request.headers[Headers.scenario.key(names)] ?? (colon < 0 ? undefined : model?.slice(colon + 1))
  return text === undefined ? none : parse(text)
}

/** Whether answers leave out what was used. */
export const hidesUsage = ({ kind }: Scenario): boolean => kind === "no-usage" || kind === "truncated"
