import { Carrier, type Incoming } from "@tollgate/contract/carrier/Carrier"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as KeyFormat from "effect/crypto/KeyFormat"
import * as Signature from "effect/crypto/Signature"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { tryParse } from "../../internal/jsonValue.ts"
import { type Form, parseTokenResponse, postForm } from "../../internal/tokenRequest.ts"
import type { Provider } from "../Provider.ts"
import { parseServiceAccount, type Place, type SecretSource, type ServiceAccount } from "../Cloud.ts"
import type { Lasting } from "./Renewed.ts"

/** An upstream cannot be called, because it would refuse our credential or we have none. `reason` is for the operator's log. */
export class NotAuthorized extends Data.TaggedError("NotAuthorized")<{
  readonly why: "misconfigured" | "unavailable"
  readonly reason: string
}> {}

export const misconfigured = (reason: string) => new NotAuthorized({ why: "misconfigured", reason })
const unavailable = (reason: string) => new NotAuthorized({ why: "unavailable", reason })

/** Servers accept a clock that differs by five minutes. */
const mostSkewSeconds = 240

/** How many seconds this machine's clock is ahead of a server's. `undefined`: too little to matter. */
export const skewOf = ({ headers: { date = "" } }: Pick<Incoming, "headers">, now: number): number | undefined => {
  const seconds = Math.round((now - Date.parse(date)) / 1_000)
  return Math.abs(seconds) > mostSkewSeconds ? seconds : undefined
}

/** Names of OAuth and the codes of Entra's descriptions, which repeat nothing that was sent. */
const reasonIn = (body: Uint8Array): string => {
  const answer = tryParse(body)
  const error = read(answer, ["error"])
  const name = typeof error === "string" && /^[a-z_]{1,60}$/.test(error) ? error : "no token and no error of OAuth"
  const code = /^AADSTS\d{1,12}/.exec(String(read(answer, ["error_description"])))?.[0]
  return code === undefined ? name : `${name} ${code}`
}

/** A token is not used for its last seconds, in which it could end on the way. */
const transitMillis = 30_000
/** It is renewed that long before, or in the last fifth of its time. */
const renewalMillis = 300_000
/** If an answer does not say how long its token lasts. */
const usualMillis = 3_600_000

const lasting = (value: Redacted.Redacted, lifetimeMillis: number, now: number): Lasting<Redacted.Redacted> => {
  const endsAt = now + Math.max(0, lifetimeMillis - Math.min(transitMillis, lifetimeMillis / 10))
  return { value, endsAt, renewAt: endsAt - Math.min(renewalMillis, lifetimeMillis / 5) }
}

const requestToken = Effect.fnUntraced(function* (url: string, form: Form, provider: Provider) {
  const since = yield* Clock.currentTimeMillis
  const posted = Carrier.use((carrier) => postForm(carrier, { url, private: provider.private }, form))
  const answer = yield* Effect.mapError(posted, ({ why }) => unavailable(`token endpoint: ${why}`))
  const { body, status } = answer
  if (status === 429 || status >= 500) return yield* unavailable(`token endpoint: status ${status}`)
  const token = status === 200 ? parseTokenResponse(body) : undefined
  if (token === undefined || Result.isFailure(token)) {
    const skew = skewOf(answer, since)
    const clock = skew === undefined ? "" : `; this machine's clock is ${skew} seconds ahead of the server's`
    return yield* misconfigured(`token endpoint: status ${status}, ${reasonIn(body)}${clock}`)
  }
  const { access, lifetimeMillis = usualMillis } = token.success
  return lasting(access, lifetimeMillis, since)
})

const algorithm = Signature.rsaPkcs1v15Sha256

const encodePart = (part: object): string => Base64Url.encode(JSON.stringify(part))

/** RFC 7523: what the service account asks for, signed with its key. */
const assertionOf = Effect.fnUntraced(function* (account: ServiceAccount) {
  const key = yield* KeyFormat.decodePrivate(KeyFormat.pem(KeyFormat.pkcs8), algorithm, account.private_key)
  const iat = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const header = { alg: "RS256", typ: "JWT", kid: account.private_key_id }
  const claims = {
    iss: account.client_email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: account.token_uri,
    iat,
    exp: iat + 3_600
  }
  const signed = `${encodePart(header)}.${encodePart(claims)}`
  const signature = yield* Signature.Signature.use((signatures) => signatures.sign(key, Utf8.encode(signed)))
  return `${signed}.${Base64Url.encode(signature)}`
})

/** An access token of the operator's account at the cloud. The secret is read again for each. */
export const accessToken = Effect.fnUntraced(function* (place: Place, source: SecretSource, provider: Provider) {
  const secret = Redacted.value(yield* Effect.mapError(source.read, misconfigured))
  if (place.kind === "azure") {
    const { authority, clientId, scope, tenant } = place
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secret, scope }
    return yield* requestToken(`${authority}/${tenant}/oauth2/v2.0/token`, form, provider)
  }
  const account = Option.getOrUndefined(parseServiceAccount(secret))
  if (account === undefined) return yield* misconfigured("not the key of a service account")
  const assertion = yield* Effect.mapError(assertionOf(account), () => misconfigured("the key cannot sign"))
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }
  return yield* requestToken(account.token_uri, form, provider)
})
