import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { client } from "@tollgate/contract/carrier/InProcess"
import { isNotSent } from "@tollgate/contract/carrier/HttpCarrier"
import { Composition, Http, HttpCarrier, Keys } from "@tollgate/gateway"
import { Sweeping } from "@tollgate/ledger/commit/Sweeper"
import { EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import { Digest } from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as Exit from "effect/Exit"
import { createHash } from "node:crypto"
import { withoutLimits } from "../switchedOff.ts"

/** What an upstream does with one request. */
export interface Fate {
  readonly kind: "answer" | "fail" | "limit" | "unreached" | "reset" | "vanish"
  /** Whether it does the work, and bills it, before it resets the connection or hangs. */
  readonly works: boolean
  /** The tokens that it reports, which may be more than was reserved for. */
  readonly tokens: number
  readonly millis: number
}

/** The tokens that the gateway reserves for. */
export const reservedTokens = 1_000

/** An upstream that follows a script and records the calls it worked for, with the tokens it reported. */
export class Upstream {
  readonly worked: Array<readonly [call: string, tokens: number]> = []
  readonly #fates: () => Fate

  constructor(fates: () => Fate) {
    this.#fates = fates
  }

  readonly http: HttpClient.HttpClient = HttpClient.make((request) => {
    const fate = this.#fates()
    const broken = (sent: boolean) =>
      Effect.fail(new HttpClientError({ reason: new TransportError({ request, cause: { sent } }) }))
    const reply = (status: number, body: object) => HttpClientResponse.fromWeb(request, Response.json(body, { status }))
    if (fate.kind === "unreached") return broken(false)
    return Effect.gen({ self: this }, function* () {
      yield* Effect.sleep(fate.millis)
      if (fate.kind === "fail") return reply(500, { error: "as told" })
      if (fate.kind === "limit") return reply(429, { error: "as told" })
      if (fate.works || fate.kind === "answer") {
        this.worked.push([request.headers["x-request-id"] ?? "", fate.tokens])
      }
      if (fate.kind === "reset") return yield* broken(true)
      if (fate.kind === "vanish") return yield* Effect.never
      return reply(200, { model: "m", results: [], usage: { total_tokens: fate.tokens } })
    })
  })
}

const wasNotSent = (error: HttpClientError): boolean => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "sent" in cause && cause.sent === false
}

// Synchronous: Web Crypto takes real time, while simulated hours pass.
const digest: Digest["Service"] = {
  digest: (_, data) => Effect.sync(() => new Uint8Array(createHash("sha256").update(data).digest())),
  digestHex: (_, data) => Effect.sync(() => createHash("sha256").update(data).digest("hex"))
}

// Rarely, so that simulated hours cost little.
const sweeping = { openMillis: 900_000, everyMillis: 1_200_000 }

/** After a crash nothing more is written: the effects of the old process never complete. */
const mortal = (store: EmbeddedStore["Service"], life: { alive: boolean }): EmbeddedStore["Service"] => ({
  ...store,
  exclusively: (run) => Effect.suspend(() => (life.alive ? store.exclusively(run) : Effect.never)),
  beforeOutsideStatement: (run) =>
    store.beforeOutsideStatement(() => {
      if (life.alive) run()
    })
})

export interface Life {
  readonly http: HttpClient.HttpClient
  /** Like `kill -9`: no finalizer reaches the store. */
  readonly crash: Effect.Effect<void>
}

const catalogue = Catalogue.make(operations, defaults)

/** One life of a gateway over a store that outlives it. */
export const life = Effect.fnUntraced(function* (upstream: Upstream, account: string, key: string) {
  const state = { alive: true }
  const scope = yield* Scope.make()
  const principal = {
    account,
    key,
    allowance: { rpm: 1_000, tpm: 1_000_000, concurrency: 100 },
    multiplier: 1_000_000n
  }
  const routes = routesTo({
    rerank: { name: "simulated", baseUrl: "http://upstream.invalid", protocol: "json", deadlineMillis: 10_000 }
  })
  const surroundings = Layer.mergeAll(
    HttpCarrier.layer.pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, upstream.http)),
      Layer.provide(Layer.succeed(isNotSent, wasNotSent))
    ),
    SecureRandom.layerWebCrypto,
    Layer.succeed(Digest, digest),
    Layer.succeed(Keys, { find: () => Effect.succeed(Option.some(principal)) }),
    Layer.succeed(Sweeping, sweeping),
    Layer.succeed(SqlClient, yield* SqlClient),
    Layer.succeed(EmbeddedStore, mortal(yield* EmbeddedStore, state))
  )
  const { gateway } = yield* Composition.make({ catalogue, routes }, withoutLimits(Composition.billing)).pipe(
    Effect.provide(surroundings),
    Scope.provide(scope)
  )
  const made: Life = {
    http: client(Http.app(gateway)),
    crash: Effect.suspend(() => {
      state.alive = false
      return Effect.ignore(Effect.forkDetach(Scope.close(scope, Exit.void)))
    })
  }
  return made
})
