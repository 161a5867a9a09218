import * as Utf8 from "@tollgate/contract/Utf8"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface TokenResponse {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted | undefined
  readonly lifetimeMillis: number | undefined
  /** Missing if the platform granted the requested scopes. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** Only characters that are safe in a header. */
const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/))

const Body = Schema.Struct({
  access_token: Token,
  token_type: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^bearer$/i))),
  refresh_token: Schema.optionalKey(Schema.NullOr(Token)),
  expires_in: Schema.optionalKey(Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))),
  scope: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{0,4096}$/))))
})

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Body))

/** RFC 6749, section 5.1. */
export const parseTokenResponse = (body: Uint8Array): Result.Result<TokenResponse, unknown> =>
  Result.map(decode(Utf8.decode(body)), ({ access_token, expires_in, refresh_token, scope }) => ({
    access: Redacted.make(access_token),
    refresh: refresh_token == null ? undefined : Redacted.make(refresh_token),
    lifetimeMillis: expires_in == null ? undefined : Math.floor(expires_in * 1_000),
    scopes: scope == null ? undefined : scope.split(" ").filter((word) => word !== "")
  }))

export type Form = Readonly<Record<string, string>>

/** `application/x-www-form-urlencoded`. */
export const formEncode = (form: Form): string =>
  Object.entries(form)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

/** The address of a token endpoint, as a request is sent to it. */
export const addressOf = (url: string): { readonly origin: string; readonly path: string } => {
  const [, origin = url, path = ""] = urlParts.exec(url) ?? []
  return { origin, path: path === "" ? "/" : path }
}
