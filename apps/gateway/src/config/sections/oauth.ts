import type { IssuerSettings } from "@tollgate/server"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Issuer from "./issuer.ts"
import type { Problem } from "../text/Problem.ts"
import { Time } from "../text/values.ts"

const lifetimes = {
  accessTokens: Schema.optionalKey(
    Time.annotate({ description: "How long an access token is valid. Default: 1 hour" })
  ),
  refreshTokens: Schema.optionalKey(
    Time.annotate({ description: "How long a client may stay away and still get a new token. Default: 720 hours" })
  )
}

/** The built-in authorization server, one of your own, or `false` for none. */
export const OAuthFile = Schema.Union([Schema.Literal(false), Schema.Struct({ ...lifetimes, ...Issuer.issuerFields })])

/** The built-in authorization server. */
export interface OAuth {
  readonly accessTokenSeconds?: number
  readonly refreshTokenSeconds?: number
}

export interface Resolved {
  /** `undefined`: the built-in authorization server is off. */
  readonly oauth: OAuth | undefined
  /** `undefined`: tokens of other issuers are not taken. */
  readonly issuer: IssuerSettings | undefined
  readonly problems: ReadonlyArray<Problem>
}

const seconds = (time: Duration.Duration): number => Math.max(1, Math.ceil(Duration.toSeconds(time)))

export const resolve = (file: typeof OAuthFile.Type = {}): Resolved => {
  if (file === false) return { oauth: undefined, issuer: undefined, problems: [] }
  const { accessTokens, refreshTokens, ...rest } = file
  const { issuer, problems } = Issuer.resolve(rest)
  const given = { accessTokens, refreshTokens }
  if (issuer !== undefined) {
    const set = Object.entries(given).filter(([, time]) => time !== undefined)
    const message = "the issuer says how long its tokens are valid"
    return {
      oauth: undefined,
      issuer,
      problems: [...problems, ...set.map(([name]) => ({ path: ["oauth", name], message }))]
    }
  }
  const oauth: OAuth = {
    ...(accessTokens === undefined ? {} : { accessTokenSeconds: seconds(accessTokens) }),
    ...(refreshTokens === undefined ? {} : { refreshTokenSeconds: seconds(refreshTokens) })
  }
  return { oauth, issuer, problems }
}
