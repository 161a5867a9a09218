import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/**
 * What can go wrong, on request: `X-<provider>-Scenario: slow; ms=2000`. A gateway passes the header to sandbox
 * upstreams only, so an app developer can try each error path end to end.
 */
export type Scenario =
  | { readonly kind: "none" }
  /** Answers after `ms`. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Never answers. */
  | { readonly kind: "stall" }
  /** Works, bills, and breaks the connection before the answer is out. */
  | { readonly kind: "reset" }
  /** Refuses with this status, and `Retry-After` where `after` says so; does nothing and bills nothing. */
  | { readonly kind: "status"; readonly status: number; readonly after?: number }
  /** A page of HTML with status 200, as a misconfigured proxy sends. */
  | { readonly kind: "html" }
  /** Works, bills, and sends half of the JSON. */
  | { readonly kind: "truncated" }
  /** Works and bills, and leaves the evidence of its cost out. */
  | { readonly kind: "no-usage" }

export const kinds = ["slow", "stall", "reset", "status", "html", "truncated", "no-usage"] as const

const none: Scenario = { kind: "none" }

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
      return { kind, ms: number(options.get("ms"), 0, 60_000) ?? 1_000 }
    case "status": {
      const after = number(options.get("after"), 0, 86_400)
      const status = number(options.get("code"), 400, 599) ?? 500
      return after === undefined ? { kind, status } : { kind, status, after }
    }
    case "stall":
    case "reset":
    case "html":
    case "truncated":
    case "no-usage":
      return { kind }
    default:
      return none
  }
}

export const of = (request: HttpServerRequest, names: Names): Scenario => {
  const text = request.headers[Headers.scenario.key(names)]
  return text === undefined ? none : parse(text)
}
