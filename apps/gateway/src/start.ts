import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import {
  Accounts,
  Admin,
  Gateway,
  HttpCarrier,
  LedgerSql,
  Limits,
  Redaction,
  Upstreams,
  UsageSql
} from "@tollgate/gateway"
import { NodeHttpServer } from "@tollgate/node"
import { Books, client, Sandbox } from "@tollgate/sandbox"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Banner, banner } from "./banner.ts"
import { references } from "./config/references.ts"
import { type Settings, SettingsError } from "./Settings.ts"
import { store } from "./store.ts"

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
    Layer.provide(HttpCarrier.layer),
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.make({ names: settings.names }), client))),
    Layer.provide(Books.layerMemory())
  )

const unusable = () => new SettingsError({ message: "TOLLGATE_DATA: the store cannot be written" })

const given: Banner["key"] = { is: "given" }
const kept: Banner["key"] = { is: "kept" }

/** On the first start there is neither account nor key: both are made, and the key is shown and stored as a hash. */
const firstKey = Effect.fnUntraced(function* (settings: Settings) {
  const accounts = yield* Accounts
  const [first] = yield* accounts.list
  const { id } = first ?? (yield* accounts.create("default"))
  if (Option.isSome(settings.bootstrapKey)) {
    yield* accounts.adoptKey(id, settings.bootstrapKey.value, "bootstrap")
    return given
  }
  if ((yield* accounts.listKeys()).length > 0) return kept
  const { value } = yield* accounts.createKey(id, { label: "demo" })
  const made: Banner["key"] = { is: "made", value }
  return made
}, Effect.mapError(unusable))

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
      const gateway = yield* Gateway.make(yield* catalogueOf(settings))
      const app = Option.isSome(settings.adminToken)
        ? Admin.inFront(yield* Admin.make(settings.adminToken.value))(gateway)
        : gateway
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
  serve(settings).pipe(
    Layer.provide(Redaction.layer),
    Layer.provide(NodeHttpServer.layer({ host: settings.host, port: settings.port, shutdownDeadline: "8 seconds" })),
    Layer.provide(
      Layer.mergeAll(sandbox(settings), LedgerSql.layer, UsageSql.layer, Limits.layerMemory, Digest.layerWebCrypto)
    ),
    Layer.provide(store(settings)),
    Layer.provide(references(settings))
  )
