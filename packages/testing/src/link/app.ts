import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, type Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { Accounts, AccountsSql, HttpCarrier, KeyHash, Keys, KeysSql, migrate } from "@tollgate/gateway"
import { keeper } from "@tollgate/gateway/steps/11-keep"
import * as KeptAnswersSql from "@tollgate/gateway/cache/KeptAnswersSql"
import { Cipher } from "@tollgate/gateway/crypto/Cipher"
import type { Decoded } from "@tollgate/gateway/Exchange"
import { linkedUser } from "@tollgate/gateway/steps/07-linkedUser"
import { Links } from "@tollgate/gateway/link/Links"
import * as LinksSql from "@tollgate/gateway/link/LinksSql"
import { Platform } from "@tollgate/gateway/link/Platform"
import * as Builtins from "@tollgate/gateway/builtin/Builtins"
import * as Router from "@tollgate/gateway/Router"
import { accept } from "@tollgate/gateway/steps/01-accept"
import { credential } from "@tollgate/gateway/steps/02-credential"
import { operation } from "@tollgate/gateway/steps/03-operation"
import { request as decode } from "@tollgate/gateway/steps/04-request"
import { requestOf } from "@tollgate/gateway/faces/http/Http"
import { respond } from "@tollgate/gateway/faces/http/respond"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { NodeSqliteClient } from "@tollgate/server"
import { Books, client, Sandbox } from "@tollgate/sandbox"
import { Host } from "../Host.ts"
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

/** Two tenants, each with a key, and a gateway without limits or a ledger: what it answers itself, and what it keeps. */
export class Tenants extends Context.Service<
  Tenants,
  {
    readonly one: { readonly account: string; readonly id: string; readonly key: string }
    readonly two: { readonly account: string; readonly id: string; readonly key: string }
    readonly accounts: Accounts["Service"]
    readonly links: Links["Service"]
    readonly sql: SqlClient
    readonly books: Books["Service"]
    /** Whoever the gateway calls. */
    readonly outside: HttpClient.HttpClient
  }
>()("test/Tenants") {}

export const redirectUri = "http://gateway.invalid/apis/v1/social_a/oauth_callback"

export interface Options {
  readonly names?: Names
  /** In place of the sandbox. */
  readonly outside?: HttpClient.HttpClient
  readonly platform?: Partial<Platform["Service"]>
  readonly filename?: string
  readonly secret?: number
  readonly references?: Layer.Layer<never>
}

const tenant = Effect.fnUntraced(function* (label: string) {
  const accounts = yield* Accounts
  const { id: account } = yield* accounts.create(label)
  const { id, value } = yield* accounts.createKey(account, {})
  return { account, id, key: Redacted.value(value) }
})

const upstream = Effect.map(
  Carrier,
  ({ carry }) =>
    (exchange: Decoded, headers: Readonly<Record<string, string>> | undefined) => {
      const { bytes, operation, path, query } = exchange
      return carry({
        method: operation.method,
        origin: "http://sandbox.invalid",
        path: query === "" ? path : `${path}?${query}`,
        headers: { "content-type": "application/json", ...headers },
        body: operation.method === "POST" ? bytes : undefined,
        deadlineMillis: 60_000,
        idleMillis: 60_000,
        isStreamed: () => false
      }).pipe(
        Effect.orDie,
        Effect.map(({ body, headers, status }) => ({
          status,
          contentType: headers["content-type"],
          headers: {},
          bytes: body as Uint8Array
        }))
      )
    }
)

const make = Effect.fnUntraced(function* (names: Names) {
  const catalogue = Catalogue.make(operations, names)
  const router = Router.make(catalogue.bound)
  const own = yield* Builtins.make(catalogue)
  const { authorize } = yield* linkedUser(names)
  const keep = yield* keeper
  const call = yield* upstream
  const authenticate = credential(yield* Keys)
  let count = 0
  return HttpServerRequest.use((request) => {
    const accepted = accept(router, requestOf(request), `req_${++count}`)
    return authenticate(accepted).pipe(
      Effect.flatMap(operation),
      Effect.flatMap(decode),
      Effect.flatMap((decoded) => {
        const ours = own[decoded.operation.id]
        if (ours !== undefined) return ours(decoded)
        return authorize(decoded).pipe(
          Effect.flatMap(({ linkedUserHeaders }) => call(decoded, linkedUserHeaders)),
          Effect.flatMap((answer) => keep(decoded, answer))
        )
      }),
      Effect.map(({ bytes, contentType, headers, status }) =>
        HttpServerResponse.uint8Array(bytes, { status, headers, ...(contentType === undefined ? {} : { contentType }) })
      ),
      Effect.catchTag("Refused", (refused) =>
        Effect.succeed(respond({ kind: "refused", exchange: accepted, refused, limits: {} }, names))
      )
    )
  })
})

export const layer = (options: Options = {}): Layer.Layer<Tenants | Host> => {
  const names = options.names ?? defaults
  const platform = Layer.succeed(Platform, {
    authorizeUrl: "http://sandbox.invalid/platform/authorize",
    tokenUrl: "http://sandbox.invalid/platform/token",
    clientId: "tollgate test",
    redirectUri,
    ...options.platform
  })
  const outside =
    options.outside === undefined
      ? Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names }), client))
      : Layer.succeed(HttpClient.HttpClient, options.outside)
  const crypto = Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto)
  const secret = Redacted.make(new Uint8Array(32).fill(options.secret ?? 7))
  const services = Layer.mergeAll(LinksSql.layer, KeptAnswersSql.layer, KeysSql.layer, AccountsSql.layer).pipe(
    Layer.provide(Layer.mergeAll(Cipher.layer(secret), KeyHash.layer(secret), platform)),
    Layer.provideMerge(HttpCarrier.layer),
    Layer.provideMerge(outside),
    Layer.provideMerge(crypto),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Books.layerMemory()),
    Layer.provideMerge(Layer.effectDiscard(migrate)),
    Layer.provideMerge(NodeSqliteClient.layer({ filename: options.filename ?? ":memory:" })),
    Layer.provideMerge(options.references ?? Layer.empty)
  )
  const tenants = Layer.effect(
    Tenants,
    Effect.gen(function* () {
      return {
        one: yield* tenant("one"),
        two: yield* tenant("two"),
        accounts: yield* Accounts,
        links: yield* Links,
        sql: yield* SqlClient,
        books: yield* Books,
        outside: yield* HttpClient.HttpClient
      }
    })
  )
  const host = Layer.effect(
    Host,
    Effect.map(make(names), (app) => ({ baseUrl: "http://gateway.invalid", http: client(app) }))
  )
  return Layer.merge(tenants, host).pipe(Layer.provide(services), Layer.orDie)
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
