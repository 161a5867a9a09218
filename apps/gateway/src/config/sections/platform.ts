import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { baseUrlProblem, fromEnvironment, Variable, text, PrivateAllowed } from "../text/values.ts"
import type { Problem } from "../text/Problem.ts"

const Address = Schema.String.annotate({ expected: 'an address such as "https://platform.example.com/oauth/token"' })
const Scope = text(/^[\x21\x23-\x5b\x5d-\x7e]+$/u, "a scope without spaces and quotes")

/** The platform whose users link their accounts, by OAuth 2.0 with PKCE. */
export const PlatformFile = Schema.Struct({
  authorizeUrl: Address,
  tokenUrl: Address,
  clientId: Schema.NonEmptyString,
  clientSecret: Schema.optionalKey(Schema.Struct({ env: Variable })),
  furtherScopes: Schema.optionalKey(
    Schema.Array(Scope).annotate({ description: "Scopes that a caller may ask for in addition to the default ones" })
  ),
  standingScopes: Schema.optionalKey(
    Schema.Array(Scope).annotate({ description: "Scopes that every link asks for, such as one for a refresh token" })
  ),
  private: PrivateAllowed
})

/** The platform section after validation. */
export interface PlatformSettings extends Omit<typeof PlatformFile.Type, "clientSecret"> {
  readonly clientSecret?: Redacted.Redacted
}

/** Checks the addresses and reads the client secret from the environment. */
export const resolve = Effect.fnUntraced(function* (file: typeof PlatformFile.Type | undefined) {
  const problems: Array<Problem> = []
  if (file === undefined) return { platform: undefined, problems }
  const { clientSecret, ...rest } = file
  for (const name of ["authorizeUrl", "tokenUrl"] as const) {
    const message = baseUrlProblem(file[name], { private: file.private ?? false, insecure: false })
    if (message !== undefined) problems.push({ path: ["platform", name], message })
  }
  if (clientSecret === undefined) return { platform: rest satisfies PlatformSettings as PlatformSettings, problems }
  const secret = yield* fromEnvironment(clientSecret.env)
  if (Result.isFailure(secret)) problems.push({ path: ["platform", "clientSecret", "env"], message: secret.failure })
  const value = Result.getOrElse(secret, () => "")
  const platform: PlatformSettings = { ...rest, clientSecret: Redacted.make(value, { label: "client secret" }) }
  return { platform, problems }
})
