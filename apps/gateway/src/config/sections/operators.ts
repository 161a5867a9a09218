import { micro } from "@tollgate/contract/Money"
import type { OperatorSignIn } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Add } from "../text/Problem.ts"
import { Address, baseUrlProblem, Credit, optional, Secret, secretAt } from "../text/values.ts"
import { Scope } from "./platform.ts"

const Groups = optional(Schema.NonEmptyArray(Schema.NonEmptyString))

export const OperatorsFile = Schema.Struct({
  issuer: optional(Address("https://login.example.com"), "Operators sign in at this OpenID provider"),
  clientId: optional(Schema.NonEmptyString),
  clientSecret: optional(Secret, "Default: none, for a public client"),
  scopes: optional(Schema.Array(Scope), "Besides openid. Default: profile and email"),
  claim: optional(Schema.NonEmptyString, "The claim with the groups of a person. Default: groups"),
  roles: optional(
    Schema.Struct({ owner: Groups, finance: Groups, support: Groups, reader: Groups }),
    "The groups that have each role. Who is in several has the first of these roles"
  ),
  refundLimit: optional(Credit, "USD that one refund by support gives back at most. Default: 10"),
  sharedToken: optional(Schema.Boolean, "false: TOLLGATE_ADMIN_TOKEN may not be set. Default: true")
})

/** Nobody on the way may read or change an answer. On the same machine there is no way. */
const isSafe = /^https:|^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/

export const resolve = Effect.fnUntraced(function* (file: typeof OperatorsFile.Type = {}, add: Add) {
  const { refundLimit = micro(10_000_000n), sharedToken = true, ...given } = file
  const { claim = "groups", clientId, clientSecret, issuer, roles = {}, scopes = ["profile", "email"] } = given
  if (issuer === undefined || clientId === undefined || Object.keys(roles).length === 0) {
    const needed = 'a provider needs "issuer", "clientId" and "roles" with the groups of each role'
    add(["operators"], Object.keys(given).length === 0 ? undefined : needed)
    return { refundLimit, sharedToken, provider: undefined }
  }
  const problem = baseUrlProblem(issuer, { private: true, insecure: false })
  add(
    ["operators", "issuer"],
    problem ?? (isSafe.test(issuer) ? undefined : "use https: http is for this machine only")
  )
  const secret = clientSecret && (yield* secretAt(["operators", "clientSecret"], clientSecret, "client secret", add))
  const openId = [...new Set(["openid", ...scopes])]
  const provider: OperatorSignIn.ProviderSettings = {
    issuer,
    clientId,
    clientSecret: secret,
    claim,
    roles,
    scopes: openId
  }
  return { refundLimit, sharedToken, provider }
})
