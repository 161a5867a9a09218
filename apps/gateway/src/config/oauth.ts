import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Time } from "./values.ts"

/** The built-in authorization server, or `false` to turn it off. */
export const OAuthFile = Schema.Union([
  Schema.Literal(false),
  Schema.Struct({
    accessTokens: Schema.optionalKey(
      Time.annotate({ description: "How long an access token is valid. Default: 1 hour" })
    ),
    refreshTokens: Schema.optionalKey(
      Time.annotate({ description: "How long a client may stay away and still get a new token. Default: 720 hours" })
    )
  })
])

/** The section after validation. */
export interface OAuth {
  readonly accessTokenSeconds?: number
  readonly refreshTokenSeconds?: number
}

const seconds = (time: Duration.Duration): number => Math.max(1, Math.ceil(Duration.toSeconds(time)))

/** `undefined`: it is off. */
export const resolve = (file: typeof OAuthFile.Type = {}): OAuth | undefined =>
  file === false
    ? undefined
    : {
        ...(file.accessTokens === undefined ? {} : { accessTokenSeconds: seconds(file.accessTokens) }),
        ...(file.refreshTokens === undefined ? {} : { refreshTokenSeconds: seconds(file.refreshTokens) })
      }
