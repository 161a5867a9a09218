import { Accounts, Admin, BaseUrl, Redaction } from "@tollgate/gateway"
import { NodeHttpServer, UpstreamCarrier } from "@tollgate/server"
import { Books } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Banner, banner } from "./banner.ts"
import { type Config, none } from "./config/Config.ts"
import { configured } from "./config/environment.ts"
import type { ConfigError } from "./config/read.ts"
import { references } from "./config/references.ts"
import { onHangup } from "./config/reload.ts"
import { live } from "./live.ts"
import { type Settings, SettingsError } from "./Settings.ts"
import { store } from "./store.ts"

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

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))
const complain = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const asConfig = ({ message }: ConfigError) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })

/** A file that cannot be used changes nothing. */
const reload = (change: (config: Config) => Effect.Effect<void, ConfigError>): Effect.Effect<void> =>
  Effect.flatMap(configured, (config) => Effect.mapError(change(Option.getOrElse(config, () => none)), asConfig)).pipe(
    Effect.matchEffect({
      onSuccess: () => say("The configuration was read again."),
      onFailure: ({ message }) => complain(`${message}\nThe configuration stays as it was.`)
    })
  )

const upstreamOf = ({ sandbox, upstreams }: Settings): string => {
  const names = Object.keys(upstreams)
  return [...(sandbox ? ["the built-in sandbox"] : []), ...names].join(", ") || "none: every call is refused"
}

const serve = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const found = HttpServer.formatAddress(address)
      const baseUrl = Option.getOrElse(settings.baseUrl, () => found)
      const { app, change } = yield* live(settings).pipe(
        Effect.mapError(asConfig),
        Effect.provideService(BaseUrl, baseUrl)
      )
      const key = yield* firstKey(settings)
      yield* HttpServer.serveEffect(
        Option.isSome(settings.adminToken) ? Admin.inFront(yield* Admin.make(settings.adminToken.value))(app) : app
      )
      if (Option.isSome(yield* configured)) yield* onHangup(reload(change))
      yield* say(banner({ address: found, data: settings.data, key, upstream: upstreamOf(settings) }))
    })
  )

/** The whole gateway on one machine. */
export const layer = (settings: Settings) =>
  serve(settings).pipe(
    Layer.provide(Redaction.layer),
    Layer.provide(NodeHttpServer.layer({ host: settings.host, port: settings.port, shutdownDeadline: "8 seconds" })),
    Layer.provide(Layer.mergeAll(UpstreamCarrier.layer(), Books.layerMemory())),
    Layer.provide(store(settings)),
    Layer.provide(references(settings))
  )
