import { type Keys, nosniff } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { Storage } from "./Storage.ts"

export const bearerOf = (authorization = ""): string | undefined => /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]

/** What the server stored of a token that it issued. */
interface Issued {
  readonly exp?: number
  readonly iat?: number
  readonly clientId?: string
}

/** Introspects any access token for the operator (RFC 7662). */
export const introspect = Effect.fnUntraced(function* (
  keys: Keys["Service"],
  storage: Storage,
  issuer: string,
  form: string
) {
  const token = new URLSearchParams(form).get("token") ?? ""
  const found = yield* Effect.option(keys.find(token))
  const { account, grant } = Option.getOrUndefined(Option.flatten(found)) ?? {}
  const stored = grant && Option.getOrUndefined(yield* Effect.option(storage.find("AccessToken", token)))
  const { clientId, exp, iat }: Issued = stored === undefined ? {} : JSON.parse(stored.payload)
  const answer =
    grant === undefined
      ? { active: false }
      : {
          active: true,
          iss: issuer,
          sub: account,
          aud: grant.resource,
          scope: [...grant.scopes].join(" "),
          client_id: clientId,
          exp,
          iat,
          grant_id: grant.id,
          token_type: "Bearer"
        }
  return HttpServerResponse.jsonUnsafe(answer, { headers: { ...nosniff, "cache-control": "no-store" } })
})
