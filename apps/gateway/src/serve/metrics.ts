import { EndpointGroup, Metrics, MetricsEndpoints, nosniff } from "@tollgate/gateway"
import { NodeHttpServer, ProcessMetrics } from "@tollgate/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import cluster from "node:cluster"
import { type Family, refuse } from "@tollgate/gateway/driver"
import type { Live } from "./live.ts"
import { Dropped, droppedFamily } from "../observe/logging.ts"
import { type Settings, SettingsError } from "../settings/Settings.ts"
import { version } from "../package.ts"
import { LeftPort } from "./workers/SharedPort.ts"
import { type FromPrimary, onPrimary, toPrimary } from "./workers/Message.ts"

/** Longer than the process that started the workers waits for them. */
const patience = "5 seconds"

const late = refuse("internal_error", "The workers did not send their metrics in time.")

/**
 * Returns an effect that gets the metrics of all workers, as text, from the process that started them. It asks each worker,
 * this one included, for what `read` returns. A worker that ends sends its last ones.
 */
const ofAllWorkers = Effect.fnUntraced(function* (read: Effect.Effect<Family.Snapshot>) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<number, (text: string) => void>()
  let scrapes = 0

  const receive = (message: FromPrimary): void => {
    if (message.kind === "scraped") return waiting.get(message.scrape)?.(message.text)
    if (message.kind !== "read_metrics") return
    const { reading } = message
    fork(Effect.map(read, (metrics) => toPrimary({ kind: "metrics", reading, metrics })))
  }

  const sendLast = Effect.flatMap(read, (metrics) =>
    Effect.callback<void>((resume) => toPrimary({ kind: "metrics", metrics }, () => resume(Effect.void)))
  )

  yield* Effect.acquireRelease(
    Effect.sync(() => onPrimary(receive)),
    (stop) => Effect.andThen(Effect.timeoutOption(sendLast, patience), Effect.sync(stop))
  )

  return Effect.suspend(() => {
    const scrape = ++scrapes
    return Effect.callback<string>((resume) => {
      waiting.set(scrape, (text) => resume(Effect.succeed(text)))
      toPrimary({ kind: "scrape", scrape })
    }).pipe(
      Effect.ensuring(Effect.sync(() => waiting.delete(scrape))),
      Effect.timeoutOrElse({ duration: patience, orElse: () => late })
    )
  })
})

type Where = Pick<Settings, "metricsHost" | "metricsPort" | "metricsToken">

/** Counts nothing unless the operator says where the metrics are served. */
export const metricsFor = ({ metricsPort, metricsToken }: Where): Metrics.Metrics | undefined =>
  Option.isSome(metricsPort) || Option.isSome(metricsToken) ? Metrics.make() : undefined

const notFound = Effect.succeed(
  HttpServerResponse.text(`The metrics are at ${MetricsEndpoints.path}.\n`, { status: 404, headers: nosniff })
)

/** A scrape that takes longer is given up when the gateway stops. */
const shutdownDeadline = "1 second"
/** A connection that a worker was handed may carry a request in a moment. */
const drainTime = "2 seconds"

/** Serves the endpoint group at a port of its own. Returns the address. */
const serveAt = Effect.fnUntraced(function* (host: string, port: number, endpoints: EndpointGroup.EndpointGroup) {
  const leftPort = yield* LeftPort
  const leaving = leftPort === undefined ? {} : ({ drainTime, leftPort } as const)
  const server = yield* Layer.build(
    NodeHttpServer.layer({ host, port, shutdownDeadline, maxConnections: 100, ...leaving })
  ).pipe(
    Effect.mapError(
      ({ message }) =>
        new SettingsError({ message: `${message}; set TOLLGATE_METRICS_HOST or TOLLGATE_METRICS_PORT to another` })
    )
  )
  yield* Effect.provideContext(HttpServer.serveEffect(EndpointGroup.serve([endpoints], () => notFound)), server)
  return HttpServer.formatAddress(Context.get(server, HttpServer.HttpServer).address)
})

/**
 * At a port of their own, or with a token at the gateway's. With both, the token is needed at the port. Returns the address of
 * the port, and what the gateway's own has to serve.
 */
export const serveMetrics = Effect.fnUntraced(function* (
  { metricsHost, metricsPort, metricsToken }: Where,
  metrics: Metrics.Metrics | undefined,
  { gateway, upstreams }: Live,
  /** Metrics of the program, and what brings them up to date. */
  program: { readonly look: Effect.Effect<void>; readonly families: () => Family.Snapshot }
) {
  if (metrics === undefined) return { endpointGroups: [], address: undefined }
  const ofProcess = yield* ProcessMetrics.make(version())
  const dropped = yield* Dropped
  const readOwn = yield* metrics.read({ gateway, upstreams }, () => [...ofProcess(), droppedFamily(dropped)])
  const read = Effect.map(Effect.all([readOwn, program.look], { concurrency: "unbounded" }), ([own]) => [
    ...own,
    ...program.families()
  ])
  const text = cluster.isWorker ? yield* ofAllWorkers(read) : MetricsEndpoints.rendered(read)
  const endpoints = yield* MetricsEndpoints.make(text, Option.getOrUndefined(metricsToken))
  if (Option.isNone(metricsPort)) return { endpointGroups: [endpoints], address: undefined }
  return {
    endpointGroups: [],
    address: `${yield* serveAt(metricsHost, metricsPort.value, endpoints)}${MetricsEndpoints.path}`
  }
})
