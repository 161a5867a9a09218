import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** How many events of a stream come first: half of them by default. */
interface After {
  readonly after?: number
}

/**
 * A failure that the caller asks for, with `X-<provider>-Scenario: slow; ms=2000` or the model name `sandbox:slow; ms=2000`.
 * The gateway forwards the header only to the sandbox.
 */
export type Scenario =
  | { readonly kind: "none" }
  /** Answers after `ms`. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Never answers. With `after`, a stream stops sending there. */
  | ({ readonly kind: "stall" } & After)
  /** Executes and bills the call, then breaks the connection before the answer is complete. */
  | ({ readonly kind: "reset" } & After)
  /** Answers with this status, and with `Retry-After` if `after` is set. Executes and bills nothing. */
  | { readonly kind: "status"; readonly status: number; readonly after?: number }
  /** Answers 200 with an HTML page, like a misconfigured proxy. */
  | { readonly kind: "html" }
  /** Executes and bills the call, then sends half of the JSON or ends a stream early, without usage. */
  | ({ readonly kind: "truncated" } & After)
  /** Executes and bills the call, but omits the usage. */
  | { readonly kind: "no-usage" }
  /** Ends a stream with the protocol's own error. */
  | ({ readonly kind: "stream-error" } & After)
  /** Sends one event of a stream that is not JSON. */
  | ({ readonly kind: "garbage" } & After)
  /** Waits `ms` between the events of a stream. */
  | { readonly kind: "interval"; readonly ms: number }
  /** Answers in exactly `events` parts of text, unless the caller's output limit ends it sooner. */
  | { readonly kind: "long"; readonly events: number }
  /** Reads `tokens` of the prompt from a cache. */
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

/** An unknown scenario has no effect. */
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

/** Reads the scenario from the header, or else from the model's name after the first colon. */
export const of = (request: HttpServerRequest, names: Names, model: string | undefined): Scenario => {
  const colon = model?.indexOf(":") ?? -1
  const text = request.headers[Headers.scenario.key(names)] ?? (colon < 0 ? undefined : model?.slice(colon + 1))
  return text === undefined ? none : parse(text)
}

/** Whether answers omit the usage. */
export const hidesUsage = ({ kind }: Scenario): boolean => kind === "no-usage" || kind === "truncated"

/** How many events an answer has, if the caller wants a long one. */
export const longEvents = (scenario: Scenario): number | undefined =>
  scenario.kind === "long" ? scenario.events : undefined
