import { Carrier, type Incoming, type NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Signature from "effect/crypto/Signature"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { tryParse } from "../../internal/jsonValue.ts"
import { carryWith } from "../outgoing.ts"
import type { Provider } from "../Provider.ts"
import { accessToken, misconfigured, type NotAuthorized, skewOf } from "./accessToken.ts"
import { type AwsCredential, type Cloud, parseAwsCredential, type SecretSource } from "../Cloud.ts"
import { eventStreamType, toEvents } from "./eventStream.ts"
import { type Lasting, Renewed } from "./Renewed.ts"
import { amzDate, sign } from "./sigv4.ts"

/** What requests to clouds need. */
export type CloudServices = Carrier | Digest.Digest | Mac.Mac | Signature.Signature

/** What signs, by Web Crypto. */
export const layerSigning = Layer.mergeAll(Digest.layerWebCrypto, Mac.layerWebCrypto, Signature.layerWebCrypto).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)

const refusedBy = ({ why }: NotAuthorized): Refused =>
  why === "misconfigured"
    ? refuse(
        "upstream_misconfigured",
        "The cloud of the upstream refused this gateway's own credential, or the gateway has none; nothing was executed. The operator has to fix it."
      )
    : refuse(
        "upstream_unreachable",
        "The upstream needs an access token, and none could be had; nothing was executed.",
        { status: 503, retryAfter: 1_000 }
      )

/** How requests of an upstream become those of our account at the cloud. */
interface Credential<A> {
  readonly held: Renewed<A, NotAuthorized, CloudServices>
  readonly authorize: (outgoing: Outgoing, credential: A) => Effect.Effect<Outgoing, unknown, CloudServices>
  /** The header that holds a secret. */
  readonly secretOf: (credential: A) => string | undefined
  /** The answer is proof that nothing ran, because the credential is refused. */
  readonly isRefused: (answer: Incoming) => boolean
}

/** A file may have changed. */
const rereadMillis = 60_000

/** One that is as it was keeps its identity, so that it is not tried again once it was refused. */
const awsCredentialFrom = (source: SecretSource): Effect.Effect<Lasting<AwsCredential>, NotAuthorized> => {
  let last: { readonly text: string; readonly credential: AwsCredential } | undefined
  return Effect.gen(function* () {
    const text = Redacted.value(yield* Effect.mapError(source.read, misconfigured))
    const parsed = last?.text === text ? Option.some(last.credential) : parseAwsCredential(text)
    if (Option.isNone(parsed)) return yield* misconfigured("not a credential of AWS")
    last = { text, credential: parsed.value }
    return { value: parsed.value, renewAt: (yield* Clock.currentTimeMillis) + rereadMillis, endsAt: Infinity }
  })
}

/** As a client sends it: in lower case, without the usual port. */
const hostOf = (origin: string): string => {
  const host = origin.replace(/^https?:\/\//i, "").toLowerCase()
  return host.replace(/^https:/i.test(origin) ? /:443$/ : /:80$/, "")
}

const signed = (outgoing: Outgoing, credential: AwsCredential, region: string) =>
  Effect.gen(function* () {
    const { SessionToken } = credential
    const own = {
      "x-amz-date": amzDate(yield* Clock.currentTimeMillis),
      ...(SessionToken == null ? {} : { "x-amz-security-token": SessionToken })
    }
    const headers = { host: hostOf(outgoing.origin), ...own }
    const { body = emptyBytes, method, path } = outgoing
    const authorization = yield* sign({ method, path, headers, body }, { credential, region, service: "bedrock" })
    return { ...outgoing, headers: { ...outgoing.headers, ...own, authorization } }
  })

const signatureRefused =
  /^(?:ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|MissingAuthenticationToken|RequestExpired|UnrecognizedClient)/

const isAwsRefusal = ({ headers, status }: Incoming): boolean =>
  status === 401 || (status === 403 && signatureRefused.test(headers["x-amzn-errortype"] ?? ""))

/** Tells each attempt that failed, not each call. */
const renewed = <A>(make: Effect.Effect<Lasting<A>, NotAuthorized, CloudServices>, { name }: Provider) =>
  new Renewed(
    Effect.tapError(make, ({ reason }) =>
      Effect.logWarning("no credential for an upstream in a cloud", { upstream: name, reason })
    )
  )

const aws = (source: SecretSource, region: string, provider: Provider): Credential<AwsCredential> => ({
  held: renewed(awsCredentialFrom(source), provider),
  authorize: (outgoing, credential) => signed(outgoing, credential, region),
  secretOf: ({ SessionToken }) => SessionToken ?? undefined,
  isRefused: isAwsRefusal
})

const tokens = (cloud: Extract<Cloud, { kind: "google" | "azure" }>, provider: Provider) => ({
  held: renewed(accessToken(cloud, provider), provider),
  authorize: (outgoing: Outgoing, token: Redacted.Redacted) =>
    Effect.succeed({
      ...outgoing,
      headers: { ...outgoing.headers, authorization: `Bearer ${Redacted.value(token)}` }
    }),
  secretOf: (token: Redacted.Redacted) => Redacted.value(token),
  isRefused: ({ status }: Incoming) => status === 401
})

/** Anthropic's name for a status. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error"
}

/** Bedrock's own errors say only `message`. Callers and their SDKs expect those of the protocol. */
const withAnthropicError = (answer: Incoming): Incoming => {
  const { body, status } = answer
  if (status < 400 || !(body instanceof Uint8Array)) return answer
  const own = tryParse(body)
  const message = read(own, ["message"]) ?? read(own, ["Message"])
  if (typeof message !== "string") return answer
  const error = { type: errorTypes[status] ?? "api_error", message }
  const headers = { ...answer.headers, "content-type": "application/json" }
  return { status, headers, body: Utf8.encode(JSON.stringify({ type: "error", error })) }
}

/** Base64 and its JSON take a third more than the event. */
const frameBytes = (eventBytes: number): number => eventBytes * 1.5 + 4_096

/** Frames as events. */
const unframed = (answer: Incoming, eventBytes: number): Incoming => {
  const { body, headers } = answer
  const type = (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase()
  if (body instanceof Uint8Array || type !== eventStreamType) return answer
  const events = { ...headers, "content-type": "text/event-stream" }
  return { ...answer, headers: events, body: toEvents(body, frameBytes(eventBytes)) }
}

/** Sends requests to an upstream in a cloud. All calls to it share one. */
export class CloudAccess {
  readonly #provider: Provider
  readonly #carry: (
    provider: Provider,
    make: () => Outgoing
  ) => Effect.Effect<Incoming, NotCarried | Refused, CloudServices>
  /** The latest secrets that were sent, which may still be in use. */
  #sent: ReadonlyArray<string> = []

  constructor(provider: Provider, cloud: Cloud) {
    this.#provider = provider
    if (cloud.kind === "aws") {
      const { credential, region } = cloud
      this.#carry =
        credential === undefined
          ? (provider, make) => Carrier.use(({ carry }) => carryWith(carry, provider, make))
          : this.#carrying(aws(credential, region, provider))
    } else this.#carry = this.#carrying(tokens(cloud, provider))
  }

  /** What an answer must not repeat. */
  get secrets(): ReadonlyArray<string> {
    return this.#sent
  }

  /** Sends a request as our account, and once more if its credential is refused and there is another. */
  carry(provider: Provider, make: () => Outgoing): Effect.Effect<Incoming, NotCarried | Refused, CloudServices> {
    const { cloud, eventBytes, protocol } = provider
    const answered = this.#carry(provider, make)
    if (cloud?.kind !== "aws" || protocol !== "anthropic") return answered
    return Effect.map(answered, (answer) => withAnthropicError(unframed(answer, eventBytes)))
  }

  readonly #carrying =
    <A>({ authorize, held, isRefused, secretOf }: Credential<A>) =>
    (_: Provider, make: () => Outgoing) => {
      const send = (credential: A) => {
        const secret = secretOf(credential)
        if (secret !== undefined && this.#sent[0] !== secret) this.#sent = [secret, ...this.#sent].slice(0, 2)
        const authorized = Effect.mapError(authorize(make(), credential), () => refusedBy(misconfigured("")))
        return Effect.flatMap(authorized, (outgoing) => Carrier.use(({ carry }) => carry(outgoing)))
      }
      return Effect.flatMap(Effect.mapError(held.get, refusedBy), (credential) =>
        Effect.flatMap(send(credential), (answer) =>
          isRefused(answer)
            ? Effect.andThen(
                this.#tellRefusal(answer),
                Effect.flatMap(held.after(credential), (other) =>
                  other === undefined ? Effect.succeed(answer) : send(other)
                )
              )
            : Effect.succeed(answer)
        )
      )
    }

  #tellRefusal(answer: Incoming): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      const seconds = skewOf(answer, clock.currentTimeMillisUnsafe())
      return seconds === undefined
        ? Effect.void
        : Effect.logWarning("an upstream refused a credential, and this machine's clock is wrong", {
            upstream: this.#provider.name,
            secondsAhead: seconds
          })
    })
  }
}
