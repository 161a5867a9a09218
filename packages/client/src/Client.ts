import { type Binding, bind, type Bound, type Operation } from "@tollgate/contract/Operation"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Pacing } from "./pace/Pacing.ts"
import { newKeys } from "./newKeys.ts"
import * as Policy from "./retry/Policy.ts"
import * as Tokens from "./retry/Tokens.ts"

export type Credential = string | Redacted.Redacted

export interface Options {
  /**
   * The key or token, or an effect that has one: it is run for each request, and once more where a token was turned down.
   * It goes into the `Authorization` header and nowhere else.
   */
  readonly credential: Credential | Effect.Effect<Credential, unknown>
  readonly baseUrl?: string
  readonly names?: Names
  /** Paths and parameter names of pending operations, by operation id. */
  readonly bindings?: Readonly<Record<string, Binding>>
  /** From the first byte sent to the last received, of one attempt. */
  readonly deadlineMillis?: number
  /** Whatever is not set here is as in `Policy.standard`. `Policy.none` is one attempt for each call. */
  readonly retry?: Partial<Policy.Policy>
  /**
   * Lets each request go when the limits of the key have room for it, so that none is refused for coming too early. Without
   * a tier or numbers they are learned from the answers; those of single operations are always kept. `false` turns it off,
   * and so does a `retry` without patience, unless something is set here.
   */
  readonly pace?: Pacing | false
}

export const defaultBaseUrl = "http://127.0.0.1:8787"
export const defaultDeadlineMillis = 60_000

const redacted = (credential: Credential): Redacted.Redacted =>
  typeof credential === "string" ? Redacted.make(credential, { label: "credential" }) : credential

/** The origin, and the path without the slash at its end. A page would complete half an address with its own origin. */
const addressOf = (baseUrl: string) => {
  const [, origin, path = ""] = /^(https?:\/\/[^/?#\s]+)([^?#\s]*?)\/*$/i.exec(baseUrl) ?? []
  // Not shown: it may hold a password.
  if (origin === undefined) throw new TypeError("baseUrl is http:// or https://, a host, and a path at most")
  return { origin, path }
}

/** What every operation needs to know: where the gateway is, who calls, and over which transport. */
export class Client extends Context.Service<
  Client,
  {
    readonly carry: Carrier["Service"]["carry"]
    readonly origin: string
    /** Of the base address, before each operation's own. */
    readonly path: string
    readonly credential: Effect.Effect<Redacted.Redacted, unknown>
    readonly names: Names
    readonly deadlineMillis: number
    readonly policy: Policy.Policy
    readonly pace: Pacing | false
    /** What all calls together may still spend on retries. */
    readonly tokens: Tokens.Tokens
    /** An idempotency key that nobody has used. */
    readonly newKey: Effect.Effect<string>
    readonly bound: <O extends Operation>(operation: O) => Bound<O> | undefined
  }
>()("@tollgate/client/Client") {
  static readonly layer = (options: Options): Layer.Layer<Client, never, Carrier> =>
    Layer.effect(
      Client,
      Effect.gen(function* () {
        const names = options.names ?? defaults
        const policy = { ...Policy.standard, ...options.retry }
        return {
          carry: (yield* Carrier).carry,
          ...addressOf(options.baseUrl ?? defaultBaseUrl),
          credential: Effect.isEffect(options.credential)
            ? Effect.map(options.credential, redacted)
            : Effect.succeed(redacted(options.credential)),
          names,
          deadlineMillis: options.deadlineMillis ?? defaultDeadlineMillis,
          policy,
          pace: options.pace ?? (policy.patienceMillis > 0 ? {} : false),
          tokens: Tokens.make(policy.budget),
          newKey: newKeys(yield* SecureRandom.SecureRandom),
          bound: (operation) => bind(operation, names, options.bindings?.[fill(operation.id, names)])
        }
      })
    ).pipe(Layer.provide(SecureRandom.layerWebCrypto))
}
