import { Carrier, type Incoming, type NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
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
import { type AwsCredential, type Cloud, parseAwsCredential, type SecretSource } from "../Cloud.ts"
import { carryWith } from "../outgoing.ts"
import type { Provider } from "../Provider.ts"
import { accessToken, misconfigured, type NotAuthorized, skewOf } from "./accessToken.ts"
import { asEvents } from "./bedrock.ts"
import { type Lasting, Renewed } from "./Renewed.ts"
import { amzDate, sign } from "./sigv4.ts"

export type CloudServices = Carrier | Digest.Digest | Mac.Mac | Signature.Signature

export const layerSigning = Layer.mergeAll(Digest.layerWebCrypto, Mac.layerWebCrypto, Signature.layerWebCrypto).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)

const refusedBy = ({ why }: NotAuthorized): Refused =>
  why === "misconfigured"
    ? refuse(
        "upstream_misconfigured",
        "This gateway has no valid credential for the upstream's cloud; nothing was executed. The operator has to fix it."
      )
    : refuse("upstream_unreachable", "The upstream's cloud issues no access token now; nothing was executed.", {
        status: 503,
        retryAfter: 1_000
      })

/** How requests are sent as our account at a cloud. */
interface Account<A> {
  /** Finds out the credential. */
  readonly make: Effect.Effect<Lasting<A>, NotAuthorized, CloudServices>
  readonly headers: (
    outgoing: Outgoing,
    credential: A
  ) => Effect.Effect<Readonly<Record<string, string>>, unknown, CloudServices>
  /** What is sent of it as it is. */
  readonly secretOf: (credential: A) => string | null | undefined
  /** The answer proves that nothing ran, because the credential is refused. */
  readonly isRefused: (answer: Incoming) => boolean
}

/** A file may have changed. */
const rereadMillis = 60_000

/** One that is as it was keeps its identity, so that it is not tried again once it was refused. */
const awsCredentialFrom = (source: SecretSource): Account<AwsCredential>["make"] => {
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
  const [, scheme, host = ""] = /^(https?):\/\/(.*)$/.exec(origin.toLowerCase()) ?? []
  return host.replace(scheme === "https" ? /:443$/ : /:80$/, "")
}

const signatureRefused =
  /^(?:ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|MissingAuthenticationToken|RequestExpired|UnrecognizedClient)/

const awsAccount = (source: SecretSource, region: string): Account<AwsCredential> => ({
  make: awsCredentialFrom(source),
  headers: Effect.fnUntraced(function* ({ body = emptyBytes, method, origin, path }, credential) {
    const own = {
      "x-amz-date": amzDate(yield* Clock.currentTimeMillis),
      ...(credential.SessionToken == null ? {} : { "x-amz-security-token": credential.SessionToken })
    }
    const request = { method, path, headers: { host: hostOf(origin), ...own }, body }
    return { ...own, authorization: yield* sign(request, { credential, region, service: "bedrock" }) }
  }),
  secretOf: ({ SessionToken }) => SessionToken,
  isRefused: ({ headers, status }) =>
    status === 401 || (status === 403 && signatureRefused.test(headers["x-amzn-errortype"] ?? ""))
})

const tokenAccount = (make: Account<Redacted.Redacted>["make"]): Account<Redacted.Redacted> => ({
  make,
  headers: (_, token) => Effect.succeed({ authorization: `Bearer ${Redacted.value(token)}` }),
  secretOf: Redacted.value,
  isRefused: ({ status }) => status === 401
})

type Carried = Effect.Effect<Incoming, NotCarried | Refused, CloudServices>

/** Sends requests to an upstream in a cloud. All calls to it share one. */
export class CloudAccess {
  readonly #name: string
  readonly #carry: (provider: Provider, make: () => Outgoing) => Carried
  /** The latest that were sent: an answer must not repeat them. */
  secrets: ReadonlyArray<string> = []

  constructor(provider: Provider, { secret, ...place }: Cloud) {
    this.#name = provider.name
    if (secret === undefined)
      this.#carry = (provider, make) => Carrier.use(({ carry }) => carryWith(carry, provider, make))
    else if (place.kind === "aws") this.#carry = this.#carrying(awsAccount(secret, place.region))
    else this.#carry = this.#carrying(tokenAccount(accessToken(place, secret, provider)))
  }

  /** Sends a request as our account, and once more if its credential is refused and there is another. */
  carry(provider: Provider, make: () => Outgoing): Carried {
    const { cloud, eventBytes, protocol } = provider
    const answered = this.#carry(provider, make)
    return cloud?.kind === "aws" && (protocol === "anthropic" || protocol === "converse")
      ? Effect.map(answered, (answer) => asEvents(answer, eventBytes, protocol))
      : answered
  }

  readonly #carrying = <A>({ headers, isRefused, make, secretOf }: Account<A>) => {
    // Told for each attempt, not for each call.
    const tell = ({ reason }: NotAuthorized) =>
      Effect.logWarning("no credential for an upstream in a cloud", { upstream: this.#name, reason })
    const held = new Renewed(Effect.tapError(make, tell))
    return (_: Provider, message: () => Outgoing): Carried => {
      const send = (credential: A): Carried => {
        const secret = secretOf(credential)
        if (secret != null && this.secrets[0] !== secret) this.secrets = [secret, ...this.secrets].slice(0, 2)
        const outgoing = message()
        return Effect.flatMap(
          Effect.mapError(headers(outgoing, credential), () => refusedBy(misconfigured("it cannot sign"))),
          (own) => Carrier.use(({ carry }) => carry({ ...outgoing, headers: { ...outgoing.headers, ...own } }))
        )
      }
      return Effect.gen({ self: this }, function* () {
        const credential = yield* Effect.mapError(held.get, refusedBy)
        const answer = yield* send(credential)
        if (!isRefused(answer)) return answer
        yield* this.#tellSkew(answer)
        const other = yield* held.after(credential)
        return other === undefined ? answer : yield* send(other)
      })
    }
  }

  #tellSkew(answer: Incoming): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      const secondsAhead = skewOf(answer, clock.currentTimeMillisUnsafe())
      const fields = { upstream: this.#name, secondsAhead }
      return secondsAhead === undefined
        ? Effect.void
        : Effect.logWarning("an upstream refused a credential, and this machine's clock is wrong", fields)
    })
  }
}
