import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Address, baseUrlProblem, optional, Secret, secretAt, text, PrivateAllowed } from "../text/values.ts"
import type { Add } from "../text/Problem.ts"

const Endpoint = Address("https://platform.example.com/oauth/token")
export const Scope = text(/^[\x21\x23-\x5b\x5d-\x7e]+$/u, "a scope without spaces and quotes")

/** The platform whose users link their accounts, by OAuth 2.0 with PKCE. */
export const PlatformFile = Schema.Struct({
  authorizeUrl: Endpoint,
  tokenUrl: Endpoint,
  clientId: Schema.NonEmptyString,
  clientSecret: optional(Secret),
  furtherScopes: optional(Schema.Array(Scope), "Scopes that a caller may ask for in addition to the default ones"),
  standingScopes: optional(Schema.Array(Scope), "Scopes that every link asks for, such as one for a refresh token"),
  private: PrivateAllowed
})

export interface PlatformSettings extends Omit<typeof PlatformFile.Type, "clientSecret"> {
  readonly clientSecret?: Redacted.Redacted
}

export const resolve = Effect.fnUntraced(function* (file: typeof PlatformFile.Type | undefined, add: Add) {
  if (file === undefined) return undefined
  const { clientSecret, ...rest } = file
  for (const name of ["authorizeUrl", "tokenUrl"] as const) {
    add(["platform", name], baseUrlProblem(file[name], { private: file.private ?? false, insecure: false }))
  }
  if (clientSecret === undefined) return rest satisfies PlatformSettings as PlatformSettings
  const secret = yield* secretAt(["platform", "clientSecret"], clientSecret, "client secret", add)
  const platform: PlatformSettings = { ...rest, clientSecret: secret }
  return platform
})
