import type { Carrier, Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { readBounded } from "@tollgate/contract/carrier/readBounded"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

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
export const parseTokenResponse = (body: Uint8Array) =>
  Result.map(decode(Utf8.decode(body)), ({ access_token, expires_in, refresh_token, scope }) => ({
    access: Redacted.make(access_token),
    refresh: refresh_token == null ? undefined : Redacted.make(refresh_token),
    lifetimeMillis: expires_in == null ? undefined : Math.floor(expires_in * 1_000),
    /** Missing if the platform granted the requested scopes. */
    scopes: scope == null ? undefined : scope.split(" ").filter((word) => word !== "")
  }))

export type TokenResponse = Result.Result.Success<ReturnType<typeof parseTokenResponse>>

export type Form = Readonly<Record<string, string>>

const formEncode = (form: Form): string =>
  Object.entries(form)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

/** For the whole request, including the body. */
const deadlineMillis = 10_000
const maxBytes = 65_536

const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

interface TokenEndpoint {
  readonly url: string
  /** Its address may be private. */
  readonly private: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts a form to a token endpoint. Its answer is bounded, and must be neither shown to callers nor logged. */
export const postForm = (
  { carry }: Carrier["Service"],
  { headers, private: isPrivate, url }: TokenEndpoint,
  form: Form
): Effect.Effect<Head & { readonly body: Uint8Array }, NotCarried> => {
  const [, origin = url, path = ""] = urlParts.exec(url) ?? []
  const answered = carry({
    method: "POST",
    origin,
    path: path === "" ? "/" : path,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/x-www-form-urlencoded",
      ...headers
    },
    body: Utf8.encode(formEncode(form)),
    deadlineMillis,
    idleMillis: deadlineMillis,
    private: isPrivate,
    maxBytes,
    isStreamed: () => false
  })
  return Effect.flatMap(answered, ({ body, headers, status }) =>
    Effect.map(readBounded(body, maxBytes), (body) => ({ status, headers, body }))
  )
}
