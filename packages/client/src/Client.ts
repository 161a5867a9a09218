import { type Binding, bind, type Bound, type Operation } from "@tollgate/contract/Operation"
import type { Usd } from "@tollgate/contract/Money"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { oncePer } from "@tollgate/contract/oncePer"
import { Carrier, type Head } from "@tollgate/contract/carrier/Carrier"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { credentialOf, type CredentialOptions } from "./credential/credential.ts"
import { environment, userAgent } from "./options/environment.ts"
import type { Pacing } from "./pace/Permit.ts"
import { millisOf, type Time } from "./options/CallOptions.ts"
import { clientNames, optionHeaders, refuseUnknown } from "./options/names.ts"
import { newKeys } from "./options/settings.ts"
import * as Policy from "./retry/Policy.ts"

/** A request as a hook sees it: without the credential. */
export interface HookRequest {
  readonly operation: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface HookResponse extends Head {
  readonly request: HookRequest
}

/** What a plain function, an async one, or one that makes an effect returns. */
export type Hooked<A> = A | Promise<A> | Effect.Effect<A, unknown>

/** Paths and parameter names, by operation id. */
export type Bindings = Readonly<Record<string, Binding>>

export interface Options extends CredentialOptions {
  /** Defaults to `TOLLGATE_BASE_URL` of the environment, then to `http://127.0.0.1:8787`. */
  readonly baseUrl?: string | undefined
  /** The operator's names of vendors and platforms, which are part of paths, headers and operation ids. */
  readonly names?: Names | undefined
  /**
   * Paths and parameter names that the API leaves to the operator of the gateway:
   * `{ "images.generate": { path: "/v1/images" } }`.
   */
  readonly bindings?: Bindings | undefined
  /** Reads what `bindings` leaves out from the gateway's own contract, once, when the first such operation is called. */
  readonly discover?: boolean | undefined
  /** Of a whole call, all attempts and waits included: `"30 seconds"`, or milliseconds. Defaults to 10 minutes. */
  readonly timeout?: Time | Duration.Duration | undefined
  /**
   * Of each attempt, from when it is sent: after it the attempt is retried like one whose connection broke. Defaults to what is
   * left of `timeout`.
   */
  readonly attemptTimeout?: Time | Duration.Duration | undefined
  /** The longest silence of a stream; keep-alives count. Defaults to 5 minutes. A stream has no limit in total. */
  readonly idleTimeout?: Time | Duration.Duration | undefined
  /** Added to every request. Headers that the client sets itself win. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A scenario of the sandbox, for tests: `"status; code=429; after=2"`. Other upstreams never see it. */
  readonly scenario?: string | undefined
  /** Tags of every call, for usage reports: `{ team: "search" }`. Those of a call replace these. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Reports every call: `openTelemetry()` of `@tollgate/client/opentelemetry`, or `observe(…)` of `/observe` with plain functions. */
  readonly observe?: Layer.Layer<never> | undefined
  /** Writes what each call does to standard error: `log()` of `@tollgate/client/log`. */
  readonly log?: Layer.Layer<never> | undefined
  /**
   * Runs before each request is sent, quotes and retries included, and returns headers to add, if any; those of the client
   * win. If it fails, the call fails with `InputInvalid` and is not sent.
   */
  readonly beforeRequest?: ((request: HookRequest) => Hooked<Readonly<Record<string, string>> | void>) | undefined
  /** Runs when an answer, or the head of a stream, has arrived. The call does not wait for it; if it fails, the console shows it. */
  readonly afterResponse?: ((response: HookResponse) => Hooked<unknown>) | undefined
  /** How often a call may be retried: `retries` of `retry`. */
  readonly retries?: number | undefined
  /** The most that each call may cost, in USD: `"0.05"`, or `{ micros: 50_000 }`. A call that can cost more is refused before anything is spent. */
  readonly maxPrice?: Usd | undefined
  /** Overrides fields of `Policy.standard`. `Policy.none` turns retries off. */
  readonly retry?: Partial<Policy.Policy> | undefined
  /**
   * Delays requests to stay within the key's rate limits. Without a tier or numbers the limits are learned from response
   * headers; the limits of single operations always apply. `false` turns it off, and so does a `retry` with no patience
   * unless something is set here.
   */
  readonly pace?: Pacing | false | undefined
}

export const defaultBaseUrl = "http://127.0.0.1:8787"
const tenMinutes = 600_000
const fiveMinutes = 300_000

/**
 * The origin, and the path without its trailing slash. Relative addresses are refused: a page would resolve them against itself.
 * A name and password are left out: no transport sends them, and `fetch` would show them in its error.
 */
const addressOf = (baseUrl: string) => {
  const [, origin, path = ""] = /^(https?:\/\/[^/?#\s]+)([^?#\s]*?)\/*$/i.exec(baseUrl) ?? []
  // The message omits the address, which may contain a password.
  if (origin === undefined) throw new TypeError("baseUrl must be http:// or https:// with a host and an optional path")
  return { origin: origin.replace(/\/\/.*@/, "//"), path }
}

/** Throws for an option that neither the client nor its transport has. */
export const checkNames = (options: object, transport: ReadonlyArray<string>): void =>
  refuseUnknown(options, [...clientNames, ...transport])

/** What the options alone decide. Throws if one of them is unknown or not valid. */
export const configOf = (options: Options) => {
  refuseUnknown(options, clientNames)
  refuseUnknown(options.retry ?? {}, Object.keys(Policy.standard))
  return {
    ...addressOf(options.baseUrl ?? environment("TOLLGATE_BASE_URL") ?? defaultBaseUrl),
    timeoutMillis: millisOf(options.timeout ?? tenMinutes),
    attemptMillis: millisOf(options.attemptTimeout ?? Infinity),
    idleMillis: millisOf(options.idleTimeout ?? fiveMinutes)
  }
}

type Binder = <O extends Operation>(operation: O) => Bound<O> | undefined

/** What every operation needs: the gateway's address, the credential and the transport. */
export class Client extends Context.Service<
  Client,
  {
    readonly carry: Carrier["Service"]["carry"]
    readonly origin: string
    /** The path of the base address; an operation's path follows it. */
    readonly path: string
    readonly credential: Effect.Effect<Redacted.Redacted, unknown>
    readonly names: Names
    readonly timeoutMillis: number
    readonly attemptMillis: number
    readonly idleMillis: number
    readonly headers: Readonly<Record<string, string>>
    readonly beforeRequest: Options["beforeRequest"] | undefined
    readonly afterResponse: Options["afterResponse"] | undefined
    readonly policy: Policy.Policy
    readonly maxPrice: Usd | undefined
    readonly pace: Pacing | false
    /** The retry budget that all calls share. */
    readonly tokens: Policy.Tokens
    /** Makes an unused idempotency key. */
    readonly newKey: Effect.Effect<string>
    readonly bindings: Bindings
    readonly discover: boolean
    readonly bound: Binder
  }
>()("@tollgate/client/Client. Provide a layer, such as NodeClient.layer()") {
  static readonly layer = (options: Options = {}): Layer.Layer<Client, never, Carrier> => {
    const { bindings = {}, names = defaults } = options
    const made = Layer.effect(
      Client,
      Effect.gen(function* () {
        const { retries } = options
        const policy = { ...Policy.standard, ...options.retry, ...(retries === undefined ? {} : { retries }) }
        return {
          carry: (yield* Carrier).carry,
          ...configOf(options),
          credential: credentialOf(options),
          names,
          headers: { ...userAgent(), ...options.headers, ...optionHeaders(names, options) },
          beforeRequest: options.beforeRequest,
          afterResponse: options.afterResponse,
          policy,
          maxPrice: options.maxPrice,
          pace: options.pace ?? (policy.patienceMillis > 0 ? {} : false),
          tokens: Policy.make(policy.budget),
          newKey: newKeys(),
          bindings,
          discover: options.discover === true,
          // Filling in its names costs more than the rest of a call's preparation.
          bound: oncePer((operation) => bind(operation, names, bindings[fill(operation.id, names)])) as Binder
        }
      })
    )
    const observed = options.observe === undefined ? made : Layer.merge(made, options.observe)
    return options.log === undefined ? observed : Layer.merge(observed, options.log)
  }
}
