import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { ApiKey, Gateway, Keys, KeysSql, Ledger, Limits, migrate, Redaction, Upstreams } from "@tollgate/gateway"
import { NodeHttpServer, NodeSqliteClient } from "@tollgate/node"
import { Books, client, Sandbox } from "@tollgate/sandbox"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Banner, banner } from "./banner.ts"
import * as dataFolder from "./dataFolder.ts"
import { type Settings, SettingsError } from "./Settings.ts"

const sandboxProvider = {
  name: "sandbox",
  baseUrl: "http://sandbox.invalid",
  protocol: "json",
  deadlineMillis: 60_000,
  sandbox: true
} as const

/** The upstreams that start with the gateway: in this process, with no socket between. */
const sandbox = (settings: Settings) =>
  Upstreams.layer({ providers: { rerank: sandboxProvider } }).pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names: settings.names }), client))),
    Layer.provide(Books.layerMemory())
  )

const unusable = () => new SettingsError({ message: "TOLLGATE_DATA: the store cannot be written" })

/** On the first start there is no key yet: one is made, shown and stored as a hash. */
const firstKey = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<Banner["key"], SettingsError, Keys | SecureRandom.SecureRandom> {
  const keys = yield* Keys
  if (Option.isSome(settings.bootstrapKey)) {
    yield* Effect.mapError(keys.add(settings.bootstrapKey.value, "bootstrap"), unusable)
    return { is: "given" }
  }
  if (!(yield* Effect.mapError(keys.isEmpty, unusable))) return { is: "kept" }
  const random = yield* SecureRandom.SecureRandom
  const value = ApiKey.fromEntropy(yield* random.randomBytes(ApiKey.entropyBytes))
  yield* Effect.mapError(keys.add(value, "demo"), unusable)
  return { is: "made", value }
})

/** A binding of no operation, or two operations in one place, is a slip of the pen. */
const catalogueOf = Effect.fnUntraced(function* (settings: Settings) {
  const refuse = (message: string) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
  const ids = new Set(operations.map(({ id }) => fill(id, settings.names)))
  for (const id of Object.keys(settings.bindings))
    if (!ids.has(id)) return yield* refuse(`bindings: there is no operation ${id}`)
  const catalogue = Catalogue.make(operations, settings.names, settings.bindings)
  const taken = new Map<string, string>()
  for (const { id, method, path } of catalogue.bound) {
    const other = taken.get(`${method} ${path}`)
    if (other !== undefined) return yield* refuse(`${other} and ${id} are both at ${method} ${path}`)
    taken.set(`${method} ${path}`, id)
  }
  return catalogue
})

const serve = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const app = yield* Gateway.make(yield* catalogueOf(settings))
      const key = yield* firstKey(settings)
      yield* HttpServer.serveEffect(app)
      const { address } = yield* HttpServer.HttpServer
      yield* Effect.sync(() =>
        process.stdout.write(`${banner({ address: HttpServer.formatAddress(address), data: settings.data, key })}\n`)
      )
    })
  )

/** The whole gateway on one machine. */
export const layer = (settings: Settings) =>
  Layer.unwrap(
    Effect.map(dataFolder.open(settings.data), ({ database, secret }) =>
      serve(settings).pipe(
        Layer.provide(Redaction.layer),
        Layer.provide(
          NodeHttpServer.layer({ host: settings.host, port: settings.port, shutdownDeadline: "8 seconds" })
        ),
        Layer.provide(Layer.mergeAll(sandbox(settings), Ledger.layerOff, Limits.layerOff, Digest.layerWebCrypto)),
        Layer.provide(KeysSql.layer({ secret })),
        Layer.provide(Mac.layerWebCrypto),
        Layer.provide(SecureRandom.layerWebCrypto),
        Layer.provide(Layer.effectDiscard(migrate)),
        Layer.provide(NodeSqliteClient.layer({ filename: database }))
      )
    )
  )
