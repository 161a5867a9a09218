import {
  Admin,
  Audit,
  BaseUrl,
  ConsoleEndpoints,
  EndpointGroup,
  type Gateway,
  Http,
  KeptResponsesBounds,
  OnCallEnded,
  OnCommit,
  OnStopping,
  Payments,
  ProtectedResources,
  RecentAnswersBounds,
  recentAnswersBoundsOf,
  ReadOn,
  readOnDefaults,
  Redaction,
  ReservationWait,
  SignupCredit,
  trustProxies,
  UpstreamRpm,
  withRequestId
} from "@tollgate/gateway"
import { CurrentGrantPolicy, CurrentOperatorPolicy } from "@tollgate/gateway/driver"
import { OnUpstreamChange, startWebhooks, WebhookEndpoints, Webhooks } from "@tollgate/gateway/operator"
import { BillingLog } from "@tollgate/sandbox"
import { NodeCompression, NodeHttpServer, OperatorSignIn, UpstreamCarrier } from "@tollgate/server"
import { ToolServer } from "@tollgate/tools"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import cluster from "node:cluster"
import type { ConfigError } from "../config/read.ts"
import { logging } from "../observe/logging.ts"
import { tracing } from "../observe/tracing.ts"
import { version } from "../package.ts"
import { consoleFiles, guideFiles } from "../pages/files.ts"
import { consolePages } from "../pages/consolePages.ts"
import { docsPages, sandboxPages } from "../pages/limitedPages.ts"
import { configPath, type Settings, settings, SettingsError, variableOf, refuseSetting } from "../settings/Settings.ts"
import * as dataFolder from "../store/dataFolder.ts"
import { gatewayStore, hasNoFolder } from "../store/layer.ts"
import { line, Output, toStandardError } from "../terminal/print.ts"
import {
  accountEndpoints,
  isPersonal,
  operatorApi,
  operatorTokenOf,
  accessTokens,
  authorization
} from "./endpointGroups.ts"
import { banner, tryIt, firstKey, operatorSignIn } from "./banner.ts"
import { configuration } from "./configuration.ts"
import { live } from "./live.ts"
import { payments } from "./payments.ts"
import { metricsFor, serveMetrics } from "./metrics.ts"
import { notStopping, readiness, type Stopping, storeState } from "./Readiness.ts"
import { layer as sharedPort, LeftPort } from "./workers/SharedPort.ts"
import { toPrimary } from "./workers/Message.ts"

const waitOf = (seconds: number | undefined) =>
  seconds === undefined
    ? Layer.empty
    : Layer.effect(
        ReservationWait,
        Effect.map(ReservationWait, (wait) => ({ ...wait, longestMillis: seconds * 1_000 }))
      )

/** What the file sets once, at the start. A reload does not change it. */
const references = (config: Settings, stopping: Stopping) =>
  Layer.mergeAll(
    Layer.succeed(ReadOn, { ...readOnDefaults, millis: config.readOnSeconds * 1_000 }),
    Layer.succeed(RecentAnswersBounds, recentAnswersBoundsOf(config.resumeMegabytes, config.resumeSeconds)),
    Layer.succeed(KeptResponsesBounds, {
      days: config.responsesDays,
      ofAccount: config.responsesMegabytes * 1024 * 1024
    }),
    // A reload replaces the endpoints in it.
    Layer.sync(Webhooks, () => new WebhookEndpoints(config.webhooks)),
    Layer.succeed(UpstreamRpm, config.upstreamRpm),
    Layer.succeed(CurrentGrantPolicy, config.grantPolicy),
    Layer.succeed(CurrentOperatorPolicy, config.operators),
    Layer.succeed(OnStopping, (run) => void stopping.runs.push(run)),
    waitOf(config.reservationWaitSeconds),
    config.signupCredit === undefined ? Layer.empty : Layer.succeed(SignupCredit, config.signupCredit)
  )

/** Runs the effect on every SIGHUP. Signals that arrive while it runs are merged into one. */
const onHangup = Effect.fnUntraced(function* (reload: Effect.Effect<unknown>) {
  const requests = yield* Queue.sliding<void>(1)
  const request = () => void Queue.offerUnsafe(requests, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", request)),
    () => Effect.sync(() => process.off("SIGHUP", request))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(requests), reload)))
})

const unusable = (settings: Settings) => () =>
  new SettingsError({ message: `${variableOf(settings)}: the store cannot be written` })

/** A worker tells the process that started it, which prints it once for all. */
const announce = (text: string) =>
  cluster.isWorker ? Effect.sync(() => toPrimary({ kind: "ready", banner: text })) : Effect.ignore(line(text))

const toSettingsError = ({ message }: ConfigError) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })

const upstreamLine = ({ sandbox, upstreams }: Settings): string => {
  const names = Object.keys(upstreams)
  return [...(sandbox ? ["the built-in sandbox"] : []), ...names].join(", ") || "none: every call is refused"
}

const dataLine = ({ data, store, ...rest }: Settings): string => {
  if (store === undefined) return data
  return hasNoFolder({ store, ...rest }) ? "PostgreSQL" : `PostgreSQL, and the secret in ${data}`
}

const serve = (settings: Settings, stopping: Stopping) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const listening = HttpServer.formatAddress(address)
      const baseUrl = Option.getOrElse(settings.baseUrl, () => listening)
      const consoleBuilt = consoleFiles()
      // Asked when a page is shown: the gateway is there by then.
      const currentGateway = (): Gateway.Gateway => running.gateway()
      const hasConsole = consoleBuilt.size > 0
      const oauth = yield* authorization(settings, baseUrl, hasConsole, currentGateway)
      const cut = yield* Audit.leftOpen
      const metrics = metricsFor(settings)
      const others = yield* OnCallEnded
      const endpoints = yield* Webhooks
      const webhooks = yield* startWebhooks
      const running = yield* live(settings).pipe(
        Effect.provideService(OnUpstreamChange, webhooks.onUpstreamChange),
        Effect.mapError(toSettingsError),
        Effect.provideService(BaseUrl, baseUrl),
        Effect.provideService(ProtectedResources, oauth?.resources),
        Effect.provideService(OnCallEnded, metrics === undefined ? others : [...others, metrics.onCallEnded]),
        Effect.provideService(OnCommit, metrics?.onCommit)
      )
      const { change, gateway, pages } = running
      const control = yield* configuration(settings, (next) =>
        Effect.andThen(
          change(next),
          Effect.sync(() => endpoints.set(next.webhooks))
        )
      )
      const key = yield* Effect.mapError(firstKey(settings), unusable(settings))
      const store = yield* storeState
      const metricsServed = yield* serveMetrics(settings, metrics, running, {
        look: store.look,
        families: () => [...control.families(), ...store.families()]
      })
      const paid = yield* payments(settings, running.onlySandbox).pipe(Effect.provideService(BaseUrl, baseUrl))
      const token = yield* operatorTokenOf(settings)
      const admin = yield* operatorApi(settings, token, running, control, { ...webhooks, endpoints }).pipe(
        Effect.provideService(Payments.CurrentPayments, paid.current),
        Effect.provideService(BaseUrl, baseUrl)
      )
      const sessions = yield* Effect.provideService(ConsoleEndpoints.make(gateway, admin), BaseUrl, baseUrl)
      const docs = yield* docsPages(gateway, {
        hasConsole,
        hasGrants: hasConsole && settings.oauth !== undefined,
        guides: guideFiles
      }).pipe(Effect.provideService(BaseUrl, baseUrl))
      const { provider } = settings.operators
      const endpointGroups = [
        readiness(stopping, store, [store.reason, control.agreement.reason]),
        ...metricsServed.endpointGroups,
        yield* accountEndpoints(settings, running, key).pipe(
          Effect.provideService(Payments.CurrentPayments, paid.current),
          Effect.provideService(BaseUrl, baseUrl),
          Effect.provideService(ProtectedResources, oauth?.resources)
        ),
        ...(oauth?.endpointGroups ?? []),
        ...paid.endpointGroups,
        Admin.endpoints(admin),
        sessions.endpoints,
        ...(provider === undefined
          ? []
          : [yield* Effect.provideService(OperatorSignIn.make(provider), BaseUrl, baseUrl)]),
        yield* ToolServer.make(gateway, { version: version(), origins: settings.toolOrigins }).pipe(
          Effect.provideContext(running.services),
          Effect.provideService(BaseUrl, baseUrl)
        ),
        sandboxPages(pages),
        docs,
        ...consolePages(consoleBuilt, {
          name: settings.names.provider,
          baseUrl,
          hasSignIn: settings.oauth !== undefined,
          operatorProvider: provider && new URL(provider.issuer).host
        })
      ]
      const identified = yield* withRequestId
      const operations = Http.answer(gateway)
      const app = EndpointGroup.serve(
        endpointGroups.map((endpoints) => identified(endpoints)),
        (request) => docs.missing(request) ?? operations(request),
        sessions.pages
      )
      yield* HttpServer.serveEffect(trustProxies(settings.trustedProxies)(app))
      if (!hasNoFolder(settings)) yield* dataFolder.writeAddress(settings.data, baseUrl)
      if (control.path !== undefined) yield* onHangup(control.reload)
      yield* announce(
        banner({
          address: listening,
          cut,
          data: dataLine(settings),
          key,
          operator: hasConsole && token !== undefined ? yield* operatorSignIn(baseUrl, settings, key) : undefined,
          upstream: upstreamLine(settings),
          metrics: metricsServed.address,
          tryIt: tryIt(gateway(), (id) => running.upstreams().routes.some(({ operation }) => operation === id))
        })
      )
    })
  )

/** A connection that a worker was handed may carry a request in a moment. */
const leastForWorkers = 2

/** How long a shutdown goes on accepting requests. */
const drain = (seconds: number, leftPort: Effect.Effect<void> | undefined) => {
  if (leftPort === undefined) return seconds === 0 ? {} : { drainTime: seconds * 1_000 }
  return { drainTime: Math.max(seconds, leastForWorkers) * 1_000, leftPort }
}

const httpServer = (
  { drainSeconds, host, httpReader, port, readerSeconds, shutdownSeconds }: Settings,
  stopping: Stopping
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { close } = yield* UpstreamCarrier.UpstreamConnections
      const leftPort = yield* LeftPort
      return NodeHttpServer.layer({
        host,
        port,
        fastReader: httpReader === "own",
        readerTimeout: readerSeconds * 1_000,
        ...drain(drainSeconds, leftPort),
        onShutdown: () => {
          stopping.isStopping = true
          for (const run of stopping.runs) run()
        },
        shutdownDeadline: shutdownSeconds * 1_000,
        atShutdownDeadline: close
      })
    })
  )

/** The whole gateway on one machine. */
export const layer = (settings: Settings, stopping: Stopping = notStopping()) =>
  serve(settings, stopping).pipe(
    Layer.provide(Redaction.layer),
    Layer.provide(httpServer(settings, stopping)),
    Layer.provide(cluster.isWorker ? sharedPort : Layer.empty),
    Layer.provide(BillingLog.layerMemory()),
    Layer.provide(gatewayStore(settings, accessTokens(settings))),
    Layer.provide(UpstreamCarrier.layer()),
    Layer.provide(NodeCompression.layer),
    Layer.provide(references(settings, stopping)),
    Layer.provide(tracing(settings.traces)),
    Layer.provide(logging(settings.log))
  )

export const launch = Effect.gen(function* () {
  const first = yield* settings
  const isBare = Option.isNone(yield* configPath) && first.store === undefined && !cluster.isWorker && isPersonal(first)
  const chosen = isBare && (yield* dataFolder.makeConfig(first.data)) ? yield* settings : first
  const unusableStore = ({ message }: Error) => refuseSetting(`${variableOf(chosen)}: ${message}`)
  // Log lines for programs are alone on standard output.
  const output = chosen.log.format === "json" ? toStandardError : yield* Output
  return yield* Layer.launch(layer(chosen)).pipe(
    Effect.provideService(Output, output),
    Effect.catchTags({
      ListenError: ({ message }) => refuseSetting(`${message}; set TOLLGATE_HOST or TOLLGATE_PORT to another`),
      SqlError: unusableStore,
      MigrationError: unusableStore,
      SchemaUnknown: unusableStore
    })
  )
})
