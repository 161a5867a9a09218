import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput } from "../../BilledAnswer.ts"
import { Memory } from "../Memory.ts"
import * as Query from "../query.ts"
import { Code } from "./token.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** The consent page. `approve` and `deny` are the targets of its links. */
const page = (client: string, scopes: ReadonlyArray<string>, approve: string, deny: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox platform</title></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem">
<h1>Sandbox platform: allow ${escape(client)}?</h1>
<p>It asks to act for you. This account is not real.</p>
<ul>${scopes.map((scope) => `<li>${escape(scope)}</li>`).join("")}</ul>
<p><a id="approve" href="${escape(approve)}">Approve</a> &nbsp; <a id="deny" href="${escape(deny)}">Deny</a></p>
</body>
</html>
`

const lifetime = 600_000

const operation = "platform.authorize"

const clients = /^[ -~]{1,200}$/
const scopes = /^[!#-[\]-~ ]{0,1000}$/
const challenges = /^[\w-]{43}$/

const encoded = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

const withQuery = (uri: string, parameters: Readonly<Record<string, string>>): string =>
  `${uri}${uri.includes("?") ? "&" : "?"}${encoded(parameters)}`

const redirectTo = (location: string) => ({
  operation,
  status: 302,
  headers: { location, "cache-control": "no-store" },
  bytes: new Uint8Array(),
  contentType: "text/plain",
  billed: {}
})

/** The consent page. Its links lead back with a `decision`, which redirects to the registered address only. */
export const authorize: Handler = Effect.fnUntraced(function* (request, { redirectUri }) {
  const query = yield* Query.of(request)
  const client = yield* Query.required(query, "client_id")
  const redirect = yield* Query.required(query, "redirect_uri")
  const state = yield* Query.required(query, "state")
  const challenge = yield* Query.required(query, "code_challenge")
  const scope = query.get("scope") ?? ""
  const refuse = (param: string, message: string) => new InvalidInput({ param, message })
  if (!clients.test(client)) return yield* refuse("client_id", "client_id is too long or has invalid characters")
  if (!scopes.test(scope)) return yield* refuse("scope", "scope is too long or has invalid characters")
  if (redirect !== redirectUri) return yield* refuse("redirect_uri", "redirect_uri is not a registered address")
  if (query.get("code_challenge_method") !== "S256" || !challenges.test(challenge)) {
    return yield* refuse("code_challenge", "a code_challenge with the method S256 is required")
  }
  if ((query.get("response_type") ?? "code") !== "code") {
    return yield* refuse("response_type", "response_type must be code")
  }
  switch (query.get("decision")) {
    case "approve": {
      const memory = yield* Memory
      const until = (yield* Clock.currentTimeMillis) + lifetime
      const code = Code.seal({ number: ++memory.count, client, redirect, challenge, scope, until })
      return redirectTo(withQuery(redirect, { code, state }))
    }
    case "deny":
      return redirectTo(withQuery(redirect, { error: "access_denied", state }))
    default: {
      const decide = (decision: string) => `?${encoded({ ...Object.fromEntries(query), decision })}`
      const html = page(client, scope.split(" ").filter(Boolean), decide("approve"), decide("deny"))
      return {
        operation,
        bytes: Utf8.encode(html),
        contentType: "text/html; charset=utf-8",
        headers: {
          "cache-control": "no-store",
          "content-security-policy":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer"
        },
        billed: {}
      }
    }
  }
})
