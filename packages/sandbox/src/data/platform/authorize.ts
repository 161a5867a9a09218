import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../../Work.ts"
import { Memory } from "../Memory.ts"
import * as Query from "../query.ts"
import { page } from "./page.ts"
import { Code } from "./sealed.ts"

const lifetime = 600_000

const operation = "platform.authorize"

/** An address of the web without a fragment, in signs that a header can hold. */
const address = /^https?:\/\/[!"$-~]+$/
const clients = /^[ -~]{1,200}$/
const scopes = /^[!#-[\]-~ ]{0,1000}$/
const challenges = /^[\w-]{43}$/

const encoded = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

const withQuery = (uri: string, parameters: Readonly<Record<string, string>>): string =>
  `${uri}${uri.includes("?") ? "&" : "?"}${encoded(parameters)}`

const to = (location: string) => ({
  operation,
  status: 302,
  headers: { location, "cache-control": "no-store" },
  bytes: new Uint8Array(),
  contentType: "text/plain",
  billed: {}
})

/** Asks the user; the page's links come back here with `decision`, and from here the user is sent on. */
export const authorize: Handler = Effect.fnUntraced(function* (request) {
  const query = yield* Query.of(request)
  const client = yield* Query.needed(query, "client_id")
  const redirect = yield* Query.needed(query, "redirect_uri")
  const state = yield* Query.needed(query, "state")
  const challenge = yield* Query.needed(query, "code_challenge")
  const scope = query.get("scope") ?? ""
  const refuse = (param: string, message: string) => new InvalidInput({ param, message })
  if (!clients.test(client)) return yield* refuse("client_id", "client_id is too long, or not plain")
  if (!scopes.test(scope)) return yield* refuse("scope", "scope is too long, or not plain")
  if (!address.test(redirect)) return yield* refuse("redirect_uri", "redirect_uri is no address to return to")
  if (query.get("code_challenge_method") !== "S256" || !challenges.test(challenge)) {
    return yield* refuse("code_challenge", "a code_challenge by S256 is needed")
  }
  if ((query.get("response_type") ?? "code") !== "code") {
    return yield* refuse("response_type", "response_type is code")
  }
  switch (query.get("decision")) {
    case "approve": {
      const memory = yield* Memory
      const until = (yield* Clock.currentTimeMillis) + lifetime
      const code = Code.seal({ number: ++memory.count, client, redirect, challenge, scope, until })
      return to(withQuery(redirect, { code, state }))
    }
    case "deny":
      return to(withQuery(redirect, { error: "access_denied", state }))
    default: {
      const decide = (decision: string) => `?${encoded({ ...Object.fromEntries(query), decision })}`
      const html = page(client, scope.split(" ").filter(Boolean), decide("approve"), decide("deny"))
      return {
        operation,
        bytes: Utf8.encode(html),
        contentType: "text/html; charset=utf-8",
        headers: {
          "cache-control": "no-store",
          "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer"
        },
        billed: {}
      }
    }
  }
})
